import { isDeepStrictEqual } from 'node:util';
import { sendAndGoAway } from '../../support/cut-connections.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { type RawRequest, sendRaw } from '../../support/raw-request.js';
import { startService, type TestService } from '../../support/service.js';
import { fillWorkspace, requestOf } from '../../http/requests.js';
import { rows } from '../../http/rows.js';
import { until } from '../../support/until.js';

describe('every route', () => {
  let service: TestService;

  beforeAll(async () => {
    // Executions stay as they are.
    service = await startService({ WTS_ROLE: 'api' });
  });
  afterAll(() => service.stop());

  it('B5: may lose its client at any byte of request or answer; the process stays, and holds nothing of it', async () => {
    const ids = await fillWorkspace(service, 'fickle');
    const headers: [string, string][] = [['Authorization', `Bearer ${await service.key('fickle', 'admin')}`]];
    const batchOf = (name: string, lines: number): RawRequest => ({
      method: 'POST',
      path: `/api/v1/workflows/${ids.workflow_id}/tasks/batch`,
      headers: [['Content-Type', 'application/x-ndjson'], ...headers],
      body: Array.from({ length: lines }, (_, at) => `{"ID":"${name}-${at}","Owner":"${ids.user}"}\n`).join(
        '',
      ),
    });
    const batch = batchOf('fickle', 2000);
    const other = await startOtherProcess(service.config.databaseUrl ?? '', {
      ...{
        WTS_BLOB_STORE: service.config.blobStore ?? '',
        WTS_MAX_BODIES_BYTES: '4000000',
        WTS_POOL_SIZE: '4',
      },
    });
    try {
      // What deletes comes last: the others would only find that nothing is there.
      const ordered = Object.keys(rows).sort(
        (a, b) => Number(a.startsWith('DELETE')) - Number(b.startsWith('DELETE')),
      );
      const requests = ordered.flatMap((route) => [batch, ...Array<RawRequest>(4).fill(padded(requestOf(route, headers, ids, ids)))]); // prettier-ignore
      const line = requests.values();
      const comeAndGo = async (): Promise<void> => {
        for (const request of line) await sendAndGoAway(other.url, request);
      };
      await Promise.all(Array.from({ length: 12 }, comeAndGo));
      await holdsNothing();
      await answersAll(other, (name) => batchOf(name, 100));
      expect(other.output()).not.toContain('"level":"fatal"');
    } finally {
      await other.stop();
    }
  });

  /** Insignificant white space, so that the body's end is far from its beginning. */
  function padded({ body, ...request }: RawRequest): RawRequest {
    return { ...request, ...(body !== undefined && { body: typeof body === 'string' ? body + ' '.repeat(100_000) : body }) }; // prettier-ignore
  }

  /** Nothing could be answered any more if each that was lost had kept its place, as one of eight batches, or its room. */
  async function answersAll({ url }: OtherProcess, batchOf: (name: string) => RawRequest): Promise<void> {
    // None waits for the tasks of another.
    const batches = Array.from({ length: 8 }, (_, n) => batchOf(`last-${n}`));
    const { headers = [], ...batch } = batchOf('large');
    const large = { ...batch, headers: headers.slice(1), body: `[${' '.repeat(1_900_000)}]` };
    const expected = Array<number>(9).fill(200);
    let told: unknown[] = [];
    // What was lost a moment ago may be written yet: only what is kept for good is never given back.
    await until(async () => {
      const answers = await Promise.all([...batches, large].map((one) => sendRaw(url, one)));
      told = answers.map(({ status, body }) => (status === 200 ? 200 : body));
      return isDeepStrictEqual(told, expected);
    }).catch(() => undefined);
    expect(told).toEqual(expected);
  }

  /** No connection to the database is at work, in a transaction or under a lock. */
  async function holdsNothing(): Promise<void> {
    const busy = `
      SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`;
    await until(async () => {
      const [{ count }] = await service.dataSource.query<[{ count: number }]>(busy);
      return count === 0;
    });
  }
});
