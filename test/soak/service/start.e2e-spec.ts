import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { killLaunched, launch, type Launched } from '../../support/launch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const root = resolve(import.meta.dirname, '../../..');

const folder = await temporaryFolder();

describe('a fresh machine', () => {
  afterEach(killLaunched);
  afterAll(async () => {
    // Whoever comes last stops the database, so one more command leaves nothing behind.
    await run('wts.js', ['workspace', 'list']).exit;
  });

  const run = (file: string, args: readonly string[] = [], environment: object = {}): Launched =>
    launch([process.execPath, join(root, 'dist', file), ...args], {
      cwd: folder,
      env: {
        ...{ PATH: process.env['PATH'], WTS_DATA_DIR: join(folder, 'data') },
        ...{ PORT: '0', WTS_DRAIN_MS: '0', ...environment },
      },
    });

  async function start(): Promise<Launched & { readonly url: string; readonly key: string }> {
    const server = run('main.js');
    const curl = /^curl -H "Authorization: Bearer (\w+)" (http\S+)$/m;
    await until('a curl', () => curl.test(server.out()));
    const [, key = '', url = ''] = curl.exec(server.out()) ?? [];
    return { ...server, url, key };
  }

  async function get(url: string, key: string): Promise<Response> {
    return fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  }

  it('starts on an embedded PostgreSQL and prints a curl that works; SIGTERM ends it with 0', async () => {
    const server = await start();
    const answer = await get(server.url, server.key);
    const tasks = (await answer.json()) as { 'Task URL': string }[];
    // Whatever port it has taken, and on this machine only.
    const { origin, port } = new URL(server.url);
    expect(origin).toBe(`http://127.0.0.1:${port}`);
    expect(tasks.map((task) => new URL(task['Task URL']).origin)).toEqual(Array(58).fill(`http://localhost:${port}`)); // prettier-ignore
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect(server.out()).toContain(`.eml files in ${join(folder, 'data/outbox')}\n`);
    // The demo has a review that takes too long: the runs say so, and what they sent can be looked at.
    const runs = async (): Promise<unknown> => (await get(`${server.url}/V-6/runs`, server.key)).json();
    const outbox = join(folder, 'data/outbox');
    const letters = async (): Promise<string[]> =>
      Promise.all((await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')));
    const escalated = /^To: mina@demo\.test\r?\nSubject: Delta Cleanroom Supply is yours now/m;
    await until(async () => (await letters().catch(() => [])).some((letter) => escalated.test(letter)));
    const by = { kind: 'clock', id: 'review' };
    expect(await runs()).toMatchObject([
      { by, result: 'started', because: 'review reached 100%' },
      { by, result: 'started', because: 'review reached 50%' },
    ]);
    server.child.kill('SIGTERM');
    expect(await server.exit).toBe(0);
    expect(server.out()).not.toMatch(/"level":"(error|warn)"/);
    expect(server.out()).toMatch(/"ms":\d+,"msg":"stopped"\}\n$/);
  });

  it('the command line finds the same database, whether or not the server runs', async () => {
    const yaml = join(root, 'test/fixtures/onboarding.yaml');
    const first = run('wts.js', ['apply', yaml]);
    const embedded = `database: the embedded PostgreSQL in ${join(folder, 'data')}\n`;
    expect([await first.exit, first.err()]).toEqual([0, embedded]);
    expect(first.out()).toContain('applied to workspace acme');
    const server = await start();
    const second = run('wts.js', ['apply', yaml]);
    expect([await second.exit, second.out()]).toEqual([0, 'no changes: workspace acme is up to date\n']);
    const created = run('wts.js', ['key', 'create', '--workspace', 'acme', '--name', 'ci', '--scope', 'read', '--expires', '90d']); // prettier-ignore
    expect([await created.exit, created.err()]).toEqual([0, embedded]);
    expect(created.out()).toMatch(/^wts_[0-9A-Za-z]{40}\n$/);
    const answer = await get(server.url, created.out().trim());
    expect([answer.status, await answer.text()]).toEqual([200, '[]']);
    server.child.kill('SIGTERM');
    await server.exit;
  });

  it('a signal in the middle of a start stops it cleanly, too', async () => {
    const server = run('main.js', [], { WTS_DATA_DIR: join(folder, 'early') });
    await until(async () => (await readdir(folder)).includes('early'));
    server.child.kill('SIGINT');
    expect([await server.exit, server.err()]).toEqual([0, '']);
    expect(await readdir(join(folder, 'early/postgresql/data'))).not.toContain('postmaster.pid');
  });
});
