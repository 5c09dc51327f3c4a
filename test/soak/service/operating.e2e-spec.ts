import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createTestDatabase } from '../../support/database.js';
import { freePort } from '../../support/free-port.js';
import { killLaunched, launch, type Launched } from '../../support/launch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const main = resolve(import.meta.dirname, '../../../dist/main.js');

const database = await createTestDatabase({ isProxied: true });
const folder = await temporaryFolder();

describe('what operators of the service see', () => {
  afterEach(killLaunched);
  afterAll(() => database.drop());

  const start = (environment: object = {}): Launched =>
    launch([process.execPath, main], {
      cwd: folder,
      env: { PORT: '0', WTS_DATA_DIR: folder, WTS_DRAIN_MS: '0', DATABASE_URL: database.url, ...environment },
    });

  async function says(launched: Launched, what: RegExp): Promise<RegExpExecArray> {
    await until(String(what), () => what.test(launched.out()));
    return what.exec(launched.out()) as RegExpExecArray;
  }

  async function stop({ child, exit, err }: Launched): Promise<void> {
    child.kill('SIGTERM');
    expect([await exit, err()]).toEqual([0, '']);
  }

  it.each([
    [
      { DATABASE_URL: new URL('/nowhere', database.url).href },
      'PostgreSQL (DATABASE_URL) cannot be used: database "nowhere" does not exist\n',
    ],
    [
      { WTS_BLOB_STORE: '/proc/x' },
      'Attachments cannot be kept in /proc/x (ENOENT): name a folder with WTS_BLOB_STORE.\n',
    ],
  ])('a start that fails says why in one line: %j', async (environment, reason) => {
    const { exit, out, err } = start(environment);
    expect([await exit, out(), err()]).toEqual([1, '', reason]);
  });

  it('a start waits for its PostgreSQL, says so, and ends on a signal meanwhile', async () => {
    await database.proxy?.cut();
    const [patient, signalled] = [start(), start()];
    const waits = /PostgreSQL \(DATABASE_URL\) cannot be used: [^"]*ECONNREFUSED[^"]*; trying again"/;
    await Promise.all([says(patient, waits), says(signalled, waits)]);
    await stop(signalled);
    await database.proxy?.mend();
    await says(patient, /^Workflow Task Service is listening on http/m);
    await stop(patient);
  });

  it('a start writes one line: the version, the address and the stores, without a secret', async () => {
    const service = start({ REDIS_URL: 'redis://me:secret@127.0.0.1:1/2', WTS_ROLE: 'api' });
    const [line] = await says(service, /^{.*"msg":"started"}$/m);
    const { port, pathname } = new URL(database.url);
    expect(JSON.parse(line)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
      role: 'api',
      database: `postgres://wts@127.0.0.1:${port}${pathname}`,
      redis: 'redis://127.0.0.1:1/2',
      blobs: join(folder, 'blobs'),
    });
    await says(service, /"msg":"Redis is away: connect ECONNREFUSED 127.0.0.1:1"/);
    expect(service.out()).not.toContain('secret');
    await stop(service);
  });

  // Only Linux has all of 127.0.0.0/8 without being asked.
  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux.each([
    ['all addresses with a database of yours', {}, true],
    ['that of WTS_HOST alone', { WTS_HOST: '127.0.0.1' }, false],
  ])('it listens on %s, for metrics as well', async (_, environment, isOpenElsewhere) => {
    const metrics = String(await freePort());
    const service = start({ WTS_METRICS_PORT: metrics, ...environment });
    const [, port = ''] = await says(service, /^Workflow Task Service is listening on http:\/\/[^:]+:(\d+)/m);
    for (const each of [port, metrics]) {
      expect(await isOpen('127.0.0.1', each)).toBe(true);
      expect(await isOpen('127.0.0.2', each)).toBe(isOpenElsewhere);
    }
    await stop(service);
  });
});

async function isOpen(host: string, port: string): Promise<boolean> {
  const socket = connect(Number(port), host);
  const isOpen = await new Promise<boolean>((done) => {
    socket.once('connect', () => { done(true); }).once('error', () => { done(false); }); // prettier-ignore
  });
  socket.destroy();
  return isOpen;
}
