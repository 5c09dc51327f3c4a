import { createLogger } from '../../src/common/logger.js';
import { startService } from '../support/service.js';
import { startMailServer, type TakenLetter } from '../messages/mail-server.js';
import { testOptions } from '../support/test-options.js';

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
    stages: [{ name: New }, { name: Review }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Name, type: text }
    roles:
      - { id: all, name: All, admin: true }
      - { id: own, name: Own, sees: assigned }
    members:
${people.map((name) => `      - { email: ${name}@acme.test, role: ${name === 'ines' ? 'own' : name === 'theo' ? theo : 'all'} }`).join('\n')}
    actions:
      - id: sign
        name: Sign
        stages: [Review]
        requirements: { approvals: { of: [{ id: check, users: [emma@acme.test, fay@acme.test], by: anyone }] } }
${more}`;

export type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** A service that mails what people were told of. */
export async function startMailing(definition = acme()) {
  const lines: string[] = [];
  const mails = await startMailServer();
  const service = await startService(
    {
      WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WTS_MAIL_FROM: 'Acme <wts@acme.test>',
      ...testOptions({ messageDelaysMs: [0, 30_000, 30_000] }),
      PUBLIC_URL: 'https://wts.acme.test',
    },
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  const api = await service.clientOf(definition);
  let seen = 0;
  return {
    ...{ service, mails, api, lines },
    /** Lets minutes pass, once all that has happened is followed. */
    async pass(minutes: number): Promise<void> {
      await service.settle();
      await service.settle({ after: minutes * 60_000 });
    },
    setTime: (iso: string): Promise<void> => service.settle({ at: iso }),
    /** The letters that have come since, when nothing is due any more. */
    async settled(): Promise<readonly TakenLetter[]> {
      await service.settle();
      const letters = mails.letters.slice(seen);
      seen = mails.letters.length;
      return letters;
    },
    /** Assigns a new task. */
    async assign(ID: string, to: string, Name?: string): Promise<void> {
      await api.post(tickets, { ID, Name, 'Assigned To': `${to}@acme.test` }).expect(201);
    },
    async comment(ID: string, body: string, by?: string): Promise<void> {
      const performed_by = by && `${by}@acme.test`;
      await api.post(`${tickets}/${ID}/comments`, { body, ...(by && { performed_by }) }).expect(201);
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
