import { createLogger } from '../../../src/common/logger.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { acme, linesOf, tickets } from '../../mail/mailing.js';
import { type MailServer, startMailServer, type TakenLetter } from '../../messages/mail-server.js';
import { movedTime, type MovedTime } from '../../support/moved-time.js';
import { testOptions } from '../../support/test-options.js';

export { acme, linesOf, tickets };

/** A service that mails what people were told of, and its time. */
export interface Mailing {
  readonly service: TestService;
  readonly mails: MailServer;
  readonly api: Client;
  readonly lines: readonly string[];
  /** What other processes on the same database are started with. */
  readonly time: MovedTime['environment'];
  /** Lets minutes pass, once all that has happened is followed. */
  pass(minutes: number): Promise<void>;
  /** Moves the time of the service to this instant: `2026-11-23T06:59:00Z`. */
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
  const time = await movedTime();
  const service = await startService(
    {
      WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WTS_MAIL_FROM: 'Acme <wts@acme.test>',
      ...testOptions({ messageDelaysMs: [0, 100, 100] }),
      PUBLIC_URL: 'https://wts.acme.test',
      ...time.environment,
      ...environment,
    },
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  const api = await service.clientOf(definition);
  let ahead = 0;
  let seen = 0;
  const count = async (text: string): Promise<number> => {
    const [row] = await service.dataSource.query<{ count: string }[]>(text);
    return Number(row?.count);
  };
  const move = async (ms: number): Promise<void> => {
    ahead = ms;
    await time.move(service.dataSource, ahead);
  };
  const followed = (): Promise<void> =>
    until(async () => (await count(unfollowed)) === 0 && (await count(unplaced)) === 0);
  return {
    ...{ service, mails, api, lines },
    time: time.environment,
    async pass(minutes) {
      await followed();
      await move(ahead + minutes * 60_000);
    },
    setTime: (iso) => move(Date.parse(iso) - Date.now()),
    async settled() {
      await followed();
      await until(async () => (await count(due)) === 0);
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
      await time.remove();
    },
  };
}

const unfollowed = `
  SELECT count(*) FROM followers f CROSS JOIN LATERAL number_events(f.workspace_id) n
  WHERE f.name = 'notifications' AND f.position < n.last_position`;
const unplaced = 'SELECT count(*) FROM mail_windows WHERE NOT is_placed';
const due = 'SELECT count(*) FROM mail_windows WHERE due_at <= service_now()';
