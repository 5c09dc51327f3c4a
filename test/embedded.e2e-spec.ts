import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { accountFor } from '../src/embedded/account.js';
import { binariesFor } from '../src/embedded/binaries.js';
import { postgresPackage } from '../src/embedded/package.js';
import { commandLine } from '../src/embedded/process-table.js';

const root = path.resolve(import.meta.dirname, '..');
const nobody = { uid: 65534, gid: 65534 };
const isRoot = process.geteuid?.() === 0;
const reachesUs = spawnSync(
  process.execPath,
  ['-e', `fs.accessSync('${root}/package.json')`],
  isRoot ? nobody : {},
);
const asRoot = isRoot ? it : it.skip;
const asRootAndUser = isRoot && reachesUs.status === 0 ? it : it.skip;

/** A process that acquires, tells what it got, and releases when its input ends. */
const SCRIPT = `
  const { acquireEmbeddedPostgres } = await import('${root}/src/embedded/embedded-postgres.ts');
  const [dataDir, ephemeral, claims] = JSON.parse(process.argv[1]);
  try {
    const postgres = await acquireEmbeddedPostgres({ dataDir, ephemeral, log: console.error });
    if (claims) await postgres.claimServer().catch(async (e) => { await postgres.release(); throw e; });
    console.log(JSON.stringify({ url: postgres.url, fresh: postgres.fresh }));
    process.stdin.resume().once('end', () => postgres.release().then(() => postgres.release()));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
    process.stdin.destroy();
  }`;

interface Options {
  ephemeral?: boolean;
  claims?: boolean;
  as?: { uid: number; gid: number } | undefined;
}

interface User {
  url: string;
  fresh: boolean;
  /** Ends orderly. */
  leave(): Promise<void>;
  /** Ends by kill -9. */
  kill(): Promise<void>;
}

describe('the embedded PostgreSQL', () => {
  let folder: string;
  let dataDir: string;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'wts-embedded-'));
    await chmod(folder, 0o755);
    dataDir = path.join(folder, 'data');
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  function launch(dir: string, { ephemeral = false, claims = false, as }: Options = {}) {
    const hooks = path.join(root, 'test/support/typescript.mjs');
    const args = [
      '--import',
      hooks,
      '--input-type=module',
      '-e',
      SCRIPT,
      JSON.stringify([dir, ephemeral, claims]),
    ];
    const child = spawn(process.execPath, args, { ...as, cwd: '/', env: { TMPDIR: folder } });
    children.add(child);
    const text = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()));
    const exit = new Promise<number | null>((resolve) => {
      child.once('close', (code) => {
        children.delete(child);
        resolve(code);
      });
    });
    return { child, text, exit };
  }

  async function use(dir: string, options: Options = {}): Promise<User> {
    const { child, text, exit } = launch(dir, options);
    await Promise.race([exit, eventually(() => text.out.includes('\n'))]);
    if (!text.out) throw new Error(text.err);
    return {
      ...(JSON.parse(text.out) as { url: string; fresh: boolean }),
      leave: async () => {
        child.stdin.end();
        expect([await exit, text.err]).toEqual([0, expect.not.stringContaining('Error')]);
      },
      kill: async () => {
        child.kill('SIGKILL');
        await exit;
      },
    };
  }

  async function refusal(dir: string, options: Options = {}): Promise<string> {
    const { text, exit } = launch(dir, options);
    expect([await exit, text.out]).toEqual([1, '']);
    return text.err.trim();
  }

  describe('on an empty folder', () => {
    it('makes a cluster that only we can open', async () => {
      const user = await use(dataDir);
      expect(user.fresh).toBe(true);
      expect(user.url).toMatch(/^postgres:\/\/wts:[\w-]{32}@127\.0\.0\.1:\d+\/wts$/);
      expect(
        await modes(['', 'postgresql', 'postgresql/data', 'postgresql/password', 'postgresql/log']),
      ).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
      expect(
        await ask(
          user.url,
          `SELECT current_setting('listen_addresses') AS listens, current_setting('max_connections') AS max,
                  current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding, rolsuper,
                  ARRAY(SELECT x FROM unnest('{b,B,a,É,é,_}'::text[]) x ORDER BY x) AS sorted, lower('É') AS lower
           FROM pg_roles WHERE rolname = current_user`,
        ),
      ).toEqual([
        {
          ...{ listens: '127.0.0.1', max: '200', fsync: 'on', encoding: 'UTF8', rolsuper: false, lower: 'é' },
          sorted: ['B', '_', 'a', 'b', 'É', 'é'],
        },
      ]);
      await expect(ask(user.url.replace(/:[\w-]{32}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password');
      await ask(user.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      await user.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('lets one of two at once make it, and both use it', async () => {
      const dir = path.join(folder, 'both');
      const [one, two] = await Promise.all([use(dir), use(dir)]);
      expect(two.url).toBe(one.url);
      expect([one.fresh, two.fresh].sort()).toEqual([false, true]);
      expect(await readdir(dir)).toEqual(['postgresql']);
      await Promise.all([one.leave(), two.leave()]);
      expect(await isRunning(dir)).toBe(false);
    });

    it('sweeps what a kill -9 has left half made', async () => {
      const dir = path.join(folder, 'half');
      const { child, exit } = launch(dir);
      await eventually(async () => (await list(dir)).some((name) => name.startsWith('postgresql.new-')));
      child.kill('SIGKILL');
      await exit;
      const user = await use(dir);
      expect(user.fresh).toBe(true);
      expect(await readdir(dir)).toEqual(['postgresql']);
      await user.leave();
    });
  });

  describe('on a folder with a cluster', () => {
    it('joins the server that runs; the last one out stops it', async () => {
      const first = await use(dataDir);
      const second = await use(dataDir);
      expect([first.fresh, second.fresh, second.url]).toEqual([false, false, first.url]);
      await first.leave();
      expect(await ask(second.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      await second.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('adopts a server whose users were all killed', async () => {
      const first = await use(dataDir);
      await first.kill();
      expect(await isRunning(dataDir)).toBe(true);
      const second = await use(dataDir);
      expect(second.url).toBe(first.url);
      await second.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('heals when the server is killed: the same address serves again', async () => {
      const first = await use(dataDir);
      await ask(first.url, 'CREATE TABLE healed AS SELECT 1 AS one');
      process.kill(await serverPid(dataDir), 'SIGKILL');
      await eventually(async () => (await ask(first.url, 'TABLE healed').catch(() => [])).length === 1);
      const second = await use(dataDir);
      expect(second.url).toBe(first.url);
      await first.leave();
      await second.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('recovers when server and users are killed and the id of the server belongs to somebody else', async () => {
      const first = await use(dataDir);
      const pid = await serverPid(dataDir);
      const file = path.join(dataDir, 'postgresql/data/postmaster.pid');
      const stale = await readFile(file, 'utf8');
      await first.kill();
      process.kill(pid, 'SIGKILL');
      await writeFile(file, stale.replace(String(pid), String(process.pid)));
      const second = await use(dataDir);
      expect(await ask(second.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      await second.leave();
    });

    it('does not take a server for that of a copy of its folder', async () => {
      const user = await use(dataDir);
      const copy = path.join(folder, 'copy');
      spawnSync('cp', ['-a', dataDir, copy]);
      const other = await use(copy);
      expect(other.url).not.toBe(user.url);
      await other.leave();
      expect(await ask(user.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      await user.leave();
    });

    it('keeps the server while a backend is killed and its users join again', async () => {
      const user = await use(dataDir);
      const pid = await serverPid(dataDir);
      const [backend] = await ask(
        user.url,
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'wts embedded'`,
      );
      process.kill(Number(backend?.['pid']), 'SIGKILL');
      const users = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid <> ${String(backend?.['pid'])}`;
      await eventually(async () => (await ask(user.url, users).catch(() => [])).length === 1);
      await (await use(dataDir)).leave();
      expect(await serverPid(dataDir)).toBe(pid);
      await user.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('is served by one server process; a second one is refused in one sentence', async () => {
      const server = await use(dataDir, { claims: true });
      expect(await refusal(dataDir, { claims: true })).toBe(
        `Another server is running on the data folder ${dataDir}: stop it, or name another folder with WTS_DATA_DIR.`,
      );
      await (await use(dataDir)).leave();
      await server.kill();
      await (await use(dataDir, { claims: true })).leave();
    });

    it('tells the end of the log and what to do when the server does not start', async () => {
      const dir = path.join(folder, 'copy');
      await appendFile(path.join(dir, 'postgresql/data/postgresql.conf'), 'nonsense = 1\n');
      const said = await refusal(dir);
      expect(said).toContain(
        `PostgreSQL did not start on ${dir}/postgresql/data (exit code 1). Mend what its log says`,
      );
      expect(said).toContain('unrecognized configuration parameter "nonsense"');
    });
  });

  describe('a throw-away one', () => {
    it('is private and leaves nothing behind', async () => {
      const [one, two] = await Promise.all([use('', { ephemeral: true }), use('', { ephemeral: true })]);
      expect(one.url).not.toBe(two.url);
      expect(await ask(one.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
      const made = await throwAways();
      expect(made).toHaveLength(2);
      expect((await stat(path.join(folder, made[0] ?? ''))).mode & 0o777).toBe(0o700);
      await Promise.all([one.leave(), two.leave()]);
      expect(await throwAways()).toEqual([]);
    });

    it('is stopped and deleted by the next one when its process was killed', async () => {
      await (await use('', { ephemeral: true })).kill();
      const [left = ''] = await throwAways();
      const pid = await serverPid(path.join(folder, left));
      const next = await use('', { ephemeral: true });
      expect(await throwAways()).not.toContain(left);
      await eventually(async () => (await commandLine(pid)) === '');
      await next.leave();
      expect(await throwAways()).toEqual([]);
    });
  });

  describe('for root and for a user', () => {
    asRoot('works below a folder that only root can enter', async () => {
      const locked = path.join(folder, 'locked');
      await mkdir(locked, { mode: 0o700 });
      const dir = path.join(locked, 'deeper/data');
      const first = await use(dir);
      await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      process.kill(await serverPid(dir), 'SIGKILL');
      await first.kill();
      const second = await use(dir);
      expect(await ask(second.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      expect((await stat(path.join(dir, 'postgresql/data'))).uid).not.toBe(0);
      await second.leave();
      expect(await isRunning(dir)).toBe(false);
    });

    asRoot('runs a copy of programs that the account of PostgreSQL cannot reach', async () => {
      const { folder: original, version } = await postgresPackage();
      const locked = path.join(folder, 'checkout');
      const place = path.join(folder, 'place');
      await mkdir(locked, { mode: 0o700 });
      await mkdir(place);
      await cp(original, path.join(locked, 'package'), { recursive: true, verbatimSymlinks: true });
      await chmod(path.join(locked, 'package/native/bin/initdb'), 0o600);
      const origin = { folder: path.join(locked, 'package'), version };
      const account = await accountFor(folder + '/none');
      const found = await Promise.all([1, 2].map(() => binariesFor(account, origin, [place])));
      const copy = path.join(place, `wts-postgresql-${version}-0`);
      expect(found).toEqual([path.join(copy, 'native/bin'), path.join(copy, 'native/bin')]);
      expect((await stat(copy)).mode & 0o777).toBe(0o755);
      expect(await readdir(place)).toHaveLength(1);
      await chown(copy, nobody.uid, nobody.gid);
      await expect(binariesFor(account, origin, [place])).rejects.toThrow('was not made by this user');
    });

    asRootAndUser('works for a user, and neither opens the folder of the other', async () => {
      const home = path.join(folder, 'home');
      await mkdir(home);
      await chown(home, nobody.uid, nobody.gid);
      const theirs = path.join(home, 'data');
      const user = await use(theirs, { as: nobody });
      expect(user.fresh).toBe(true);
      expect((await stat(path.join(theirs, 'postgresql/data'))).uid).toBe(nobody.uid);
      await user.leave();
      const advice = 'run as the user who made it, or name another folder with WTS_DATA_DIR.';
      expect(await refusal(theirs)).toBe(
        `The data folder ${theirs} cannot be used by this user (it belongs to the user with the id 65534): ${advice}`,
      );
      expect(await refusal(dataDir, { as: nobody })).toBe(
        `The data folder ${dataDir} cannot be used by this user (EACCES): ${advice}`,
      );
    });
  });

  async function modes(files: readonly string[]): Promise<number[]> {
    return Promise.all(files.map(async (file) => (await stat(path.join(dataDir, file))).mode & 0o777));
  }

  async function throwAways(): Promise<string[]> {
    return (await readdir(folder)).filter((name) => name.startsWith(`wts-postgresql-${hostname()}-`));
  }
});

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function serverPid(dir: string): Promise<number> {
  const text = await readFile(path.join(dir, 'postgresql/data/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

async function isRunning(dir: string): Promise<boolean> {
  return serverPid(dir).then(
    () => true,
    () => false,
  );
}

async function list(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}

async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`not in time: ${isTrue.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
