import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listen } from '../../../src/common/ops/listen.js';
import { createTestDatabase } from '../../support/database.js';
import { freePort } from '../../support/free-port.js';
import { killLaunched, launch, type Launched } from '../../support/launch.js';
import { until } from '../../support/until.js';

const root = resolve(import.meta.dirname, '../../..');

const database = await createTestDatabase({ isProxied: true });
const folder = await mkdtemp(join(tmpdir(), 'wts-operating-'));

describe('what those who run the service meet', () => {
  afterEach(killLaunched);
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const start = (environment: object, command: readonly [string, ...string[]] = main): Launched =>
    launch(command, {
      cwd: command[0] === 'npm' ? root : folder,
      env: { PATH: process.env['PATH'], HOME: folder, PORT: '0', WTS_DATA_DIR: folder, ...environment },
    });

  async function says(launched: Launched, what: RegExp): Promise<RegExpExecArray> {
    await until(String(what), () => what.test(launched.out()));
    return what.exec(launched.out()) as RegExpExecArray;
  }

  const onDatabase = (): Record<string, string> => ({ DATABASE_URL: database.url });

  describe('a start that cannot be', () => {
    let taken: Server;
    let port: string;

    beforeAll(async () => {
      taken = createServer();
      const place = { host: '127.0.0.1', port: 0, variable: 'PORT' } as const;
      port = String((await listen(taken, place)).port);
    });
    afterAll(() => new Promise((closed) => taken.close(closed)));

    async function refusal(environment: Record<string, string>): Promise<string> {
      const launched = start({ ...onDatabase(), ...environment });
      expect([await launched.exit, launched.out()]).toEqual([1, '']);
      return launched.err();
    }

    it.each(['PORT', 'WTS_METRICS_PORT'])('says in one line that the port of %s is taken', async (name) => {
      expect(await refusal({ [name]: port })).toBe(
        `Port ${port} is taken: stop the program that uses it, or set another one with ${name}.\n`,
      );
    });

    it('says in one line that attachments cannot be kept in WTS_BLOB_STORE', async () => {
      expect(await refusal({ WTS_BLOB_STORE: '/proc/x' })).toBe(
        'Attachments cannot be kept in /proc/x (ENOENT): name a folder with WTS_BLOB_STORE.\n',
      );
    });

    it('names DATABASE_URL, and waits for nothing, where PostgreSQL does not let us in', async () => {
      const begun = Date.now();
      const nowhere = Object.assign(new URL(database.url), { pathname: '/nowhere' }).href;
      expect(await refusal({ DATABASE_URL: nowhere })).toBe(
        'PostgreSQL (DATABASE_URL) cannot be used: database "nowhere" does not exist\n',
      );
      // Others are waited for for a minute.
      expect(Date.now() - begun).toBeLessThan(59_000);
    });
  });

  it('a start waits for its PostgreSQL, says so, and ends by a signal meanwhile', async () => {
    await database.proxy?.cut();
    const [patient, signalled] = [start(onDatabase()), start(onDatabase())];
    const waits = /PostgreSQL \(DATABASE_URL\) cannot be used: [^"]*ECONNREFUSED[^"]*; trying again"/;
    await Promise.all([says(patient, waits), says(signalled, waits)]);
    signalled.child.kill('SIGTERM');
    expect([await signalled.exit, signalled.err()]).toEqual([0, '']);
    await database.proxy?.mend();
    await says(patient, /^Workflow Task Service is listening on http/m);
    await says(patient, /PostgreSQL \(DATABASE_URL\) can be used now/);
    patient.child.kill('SIGTERM');
    expect([await patient.exit, patient.err()]).toEqual([0, '']);
  });

  it('a start writes one line: the version, the address and the stores, without a secret', async () => {
    const service = start({
      ...onDatabase(),
      REDIS_URL: 'redis://me:secret@127.0.0.1:1/2',
      WTS_ROLE: 'api',
    });
    const [line] = await says(service, /^{.*"msg":"started"}$/m);
    const { port, pathname } = new URL(database.url);
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.any(String) as unknown,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
      role: 'api',
      host: '::',
      port: expect.any(Number) as unknown,
      database: `postgres://wts@127.0.0.1:${port}${pathname}`,
      redis: 'redis://127.0.0.1:1/2',
      blobs: join(folder, 'blobs'),
      migrated: [],
      msg: 'started',
    });
    await says(service, /"msg":"Redis is away: connect ECONNREFUSED 127.0.0.1:1"/);
    expect(service.out()).not.toContain('secret');
    service.child.kill('SIGTERM');
    await service.exit;
  });

  // Only Linux has a disk that is always full.
  (process.platform === 'linux' ? it : it.skip)('a log that cannot be written ends nothing', async () => {
    const port = String(await freePort());
    const typed = `exec '${process.execPath}' '${main[1]}' > /dev/full`;
    const service = start({ ...onDatabase(), PORT: port, WTS_DRAIN_MS: '0' }, ['sh', '-c', typed]);
    const isLive = (): Promise<boolean> => fetch(`http://127.0.0.1:${port}/health/live`).then(({ ok }) => ok, () => false); // prettier-ignore
    await until(isLive);
    service.child.kill('SIGTERM');
    expect([await service.exit, service.err()]).toEqual([
      0,
      expect.stringMatching(/^The output cannot be written: ENOSPC[^\n]*\n$/),
    ]);
  });

  describe('the addresses that it listens on', () => {
    // Only Linux has all of 127.0.0.0/8 without being asked.
    const onLinux = process.platform === 'linux' ? it : it.skip;

    onLinux('are all with a database of yours, and that of WTS_HOST, for metrics as well', async () => {
      const port = String(await freePort());
      const everywhere = start({ ...onDatabase(), WTS_METRICS_PORT: port });
      const [, open = ''] = await says(
        everywhere,
        /^Workflow Task Service is listening on http:\/\/localhost:(\d+), and on every other address of this machine$/m,
      );
      expect([await isOpen('127.0.0.2', open), await isOpen('127.0.0.2', port)]).toEqual([true, true]);
      everywhere.child.kill('SIGTERM');
      await everywhere.exit;
      const here = start({ ...onDatabase(), WTS_METRICS_PORT: port, WTS_HOST: '127.0.0.1' });
      const [, own = ''] = await says(
        here,
        /^Workflow Task Service is listening on http:\/\/127\.0\.0\.1:(\d+)$/m,
      );
      expect([await isOpen('127.0.0.1', own), await isOpen('127.0.0.1', port)]).toEqual([true, true]);
      expect([await isOpen('127.0.0.2', own), await isOpen('127.0.0.2', port)]).toEqual([false, false]);
      here.child.kill('SIGTERM');
      await here.exit;
    });
  });

  // What is left keeps the outputs open, and the temporary folder full.
  it('SIGTERM to `npm start` ends all that it has started', async () => {
    const npm = start({ WTS_EPHEMERAL: '1', TMPDIR: folder }, ['npm', 'start']);
    await says(npm, /^curl /m);
    expect(await temporary()).not.toEqual([]);
    npm.child.kill('SIGTERM');
    await npm.exit;
    expect(await temporary()).toEqual([]);
  });

  async function temporary(): Promise<string[]> {
    return (await readdir(folder)).filter((name) => name.startsWith('wts-'));
  }
});

const main: readonly [string, ...string[]] = [process.execPath, join(root, 'dist/main.js')];

async function isOpen(host: string, port: string): Promise<boolean> {
  const socket = connect(Number(port), host);
  const isOpen = await new Promise<boolean>((done) => {
    socket.once('connect', () => { done(true); }).once('error', () => { done(false); }); // prettier-ignore
  });
  socket.destroy();
  return isOpen;
}
