import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyType } from '../../support/definitions.js';
import { describeWith } from '../../support/describe-with.js';
import { freePort } from '../../support/free-port.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

/** The PgBouncer of this machine; undefined where there is none. */
const executable = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(
  (path) => existsSync(path),
);

const tasks = '/api/v1/workflows/things/tasks';

describe('PostgreSQL behind a pooler', () => {
  describeWith(executable !== undefined, 'PgBouncer, in session mode', 'pgbouncer', () => {
    let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
    let service: TestService;
    let api: Client;

    beforeAll(async () => {
      pooler = await startPgBouncer(new URL(process.env['WTS_TEST_DATABASE_URL'] ?? ''));
      const limits = { lockTimeout: '5s', poolerPort: pooler.port };
      service = await startService({}, undefined, limits);
      api = await service.clientOf(everyType);
    });
    afterAll(async () => {
      await service.stop();
      await pooler.stop();
    });

    it('gives each connection the settings of the service, although the pooler refuses `options`', async () => {
      const [shown] = await service.dataSource.query<unknown[]>(
        `SELECT current_setting('lock_timeout') AS lock, current_setting('enable_seqscan') AS scan, current_setting('TimeZone') AS zone`,
      );
      expect(shown).toEqual({ lock: '5s', scan: 'off', zone: 'UTC' });
    });

    it('answers named statements', async () => {
      await api.post(tasks, { ID: '1' }).expect(201);
      await Promise.all(Array.from({ length: 40 }, () => api.get(`${tasks}/1`).expect(200)));
    });
  });
});

/** Starts a PgBouncer in session mode. It accepts any password: the only clients are tests on this machine. */
async function startPgBouncer({ hostname, port: serverPort, username, password }: URL) {
  const folder = await mkdtemp(join(tmpdir(), 'wts-pgbouncer-'));
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  const server = `host=${hostname} port=${serverPort} user=${username}${password && ` password=${decodeURIComponent(password)}`}`;
  await writeFile(
    settings,
    `[databases]\n* = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = session\ndefault_pool_size = 60\nmax_client_conn = 500\n`,
  );
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (account.uid !== undefined)
    for (const path of [folder, settings]) await chown(path, account.uid, account.gid);
  const child = spawn(executable ?? '', [settings], { ...account, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until('PgBouncer answers', async () => {
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(() => true, () => false); // prettier-ignore
    socket.destroy();
    return isUp;
  });
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
