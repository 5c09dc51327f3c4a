import { createLogger } from '../../src/lib/logger.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { type MailServer, startMailServer, type TakenLetter } from '../messages/mail-server.js';

export const tickets = '/api/v1/workflows/tickets/tasks';

const people = ['mina', 'theo', 'ines', 'ada', 'bea', 'cleo', 'dora', 'emma', 'fay', 'gina'];

/** Ten people who see all, but for Ines, who sees what is assigned to her. */
export const acme = ({ theo = 'all', more = '' } = {}): string => `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users:
${people.map((name) => `  - { email: ${name}@acme.test, first_name: ${name[0]?.toUpperCase()}${name.slice(1)} }`).join('\n')}
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Name, type: text }
    roles:
      - { id: all, name: All, admin: true }
      - { id: own, name: Own, sees: assigned }
    members:
${people.map((name) => `      - { email: ${name}@acme.test, role: ${name === 'ines' ? 'own' : name === 'theo' ? theo : 'all'} }`).join('\n')}
${more}`;

/** A service that mails what people were told of, and the clock that it goes by. */
export interface Mailing {
  readonly service: TestService;
  readonly mails: MailServer;
  readonly api: Client;
  readonly lines: readonly string[];
  /** Lets minutes pass, once all that has happened is followed. */
  pass(minutes: number): Promise<void>;
  /** Says when the clock of the service shows this: `2026-11-23T06:59:00Z`. */
  setTime(iso: string): Promise<void>;
  /** Waits until all events were followed, and nothing that is due is left; says how many letters came meanwhile. */
  settled(): Promise<readonly TakenLetter[]>;
  /** Assigns a new task. */
  assign(ID: string, to: string, Name?: string): Promise<void>;
  comment(ID: string, body: string, by?: string): Promise<void>;
  states(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startMailing(
  definition = acme(),
  environment: Record<string, string> = {},
): Promise<Mailing> {
  const lines: string[] = [];
  const mails = await startMailServer();
  const service = await startService(
    {
      WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WTS_MAIL_FROM: 'Acme <wts@acme.test>',
      WTS_MESSAGE_DELAYS: '0,30,30',
      PUBLIC_URL: 'https://wts.acme.test',

      ...environment,
    },
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  await service.apply(definition);
  const api = service.client(await service.key('acme'));
  let seen = 0;
  return {
    ...{ service, mails, api, lines },
    async pass(minutes) {
      await service.settle();
      await service.settle({ after: minutes * 60_000 });
    },
    setTime: (iso) => service.settle({ at: iso }),
    async settled() {
      await service.settle();
      const letters = mails.letters.slice(seen);
      seen = mails.letters.length;
      return letters;
    },
    async assign(ID, to, Name) {
      await api.post(tickets, { ID, Name, 'Assigned To': `${to}@acme.test` }).expect(201);
    },
    async comment(ID, body, by) {
      const performed_by = by && `${by}@acme.test`;
      await api.post(`${tickets}/${ID}/comments`, { body, ...(by && { performed_by }) }).expect(201);
    },
    async states() {
      const rows = await service.dataSource.query<{ told: string }[]>(
        `SELECT n.reason || ' ' || n.mail AS told FROM notifications n ORDER BY n.event_place, n.user_id`,
      );
      return rows.map(({ told }) => told);
    },
    async stop() {
      await service.stop();
      await mails.stop();
    },
  };
}

/** What a letter says as text, line by line. */
export const linesOf = (letter: TakenLetter | undefined): string[] =>
  (letter?.parts.get('text/plain') ?? '').split(/\r?\n/).filter((line) => line !== '');
