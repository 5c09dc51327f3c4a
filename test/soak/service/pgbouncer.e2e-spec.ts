import { createTestDatabase } from '../../support/database.js';
import { everyType } from '../../support/definitions.js';
import { executable, startPgBouncer } from '../../support/pgbouncer.mjs';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';

describe('PostgreSQL behind a pooler', () => {
  it('`WTS_LISTEN_URL` is the address used for LISTEN', async () => {
    const database = await createTestDatabase();
    const direct = new URL(database.url);
    direct.searchParams.set('application_name', 'listens-directly');
    const service = await startService({ WTS_LISTEN_URL: direct.href });
    try {
      const listeners = `SELECT FROM pg_stat_activity WHERE application_name = 'listens-directly' AND query LIKE 'LISTEN%'`;
      await until(async () => (await database.dataSource.query<unknown[]>(listeners)).length === 1);
      await database.dataSource.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listens-directly'`,
      );
      await until(async () => (await database.dataSource.query<unknown[]>(listeners)).length === 1);
    } finally {
      await service.stop();
      await database.drop();
    }
  });

  describeWithPgBouncer('PgBouncer, in session mode', () => {
    let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
    let service: TestService;
    let api: Client;

    beforeAll(async () => {
      pooler = await startPgBouncer(process.env['WTS_TEST_DATABASE_URL'] ?? '');
      const limits = { lockTimeout: '5s', poolerPort: pooler.port };
      service = await startService({}, undefined, limits);
      api = await service.clientOf(everyType);
    });
    afterAll(async () => {
      await service.stop();
      await pooler.stop();
    });

    it('gives each connection the settings of the service, though it lets no `options` through', async () => {
      const [shown] = await service.dataSource.query<unknown[]>(
        `SELECT current_setting('lock_timeout') AS lock, current_setting('enable_seqscan') AS scan, current_setting('TimeZone') AS zone`,
      );
      expect(shown).toEqual({ lock: '5s', scan: 'off', zone: 'UTC' });
    });

    it('answers by named statements', async () => {
      await api.post(tasks, { ID: '1' }).expect(201);
      await Promise.all(Array.from({ length: 40 }, () => api.get(`${tasks}/1`).expect(200)));
    });
  });
});

/** Left out, saying so, where there is no PgBouncer; with CI set these fail instead. */
function describeWithPgBouncer(name: string, tests: () => void): void {
  if (executable !== undefined) describe(name, tests);
  else if (process.env['CI'])
    it(`${name}: there is no PgBouncer`, () => { throw new Error('install pgbouncer'); }); // prettier-ignore
  else describe.skip(`${name} (left out: there is no PgBouncer; install it)`, tests);
}
