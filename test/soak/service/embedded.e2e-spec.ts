import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { isAlive } from '../../../packages/local-postgres/process.js';
import { ask, embeddedUsers, isRunning, serverPid } from '../../support/embedded-users.js';
import { until } from '../../support/until.js';

const users = await embeddedUsers();
const dataDir = path.join(users.folder, 'data');

describe('the embedded PostgreSQL', () => {
  afterAll(() => users.end());

  describe('on an empty folder', () => {
    it('makes a cluster that only its user can open', async () => {
      const user = await users.use(dataDir);
      expect(user.fresh).toBe(true);
      expect(user.url).toMatch(/^postgres:\/\/wts:[\w-]{32}@127\.0\.0\.1:\d+\/wts$/);
      expect(
        await modes(['', 'postgresql', 'postgresql/data', 'postgresql/password', 'postgresql/data/log']),
      ).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
      const settings = `SELECT current_setting('listen_addresses') AS listens, current_setting('fsync') AS fsync,
        rolsuper, lower('É') AS lower FROM pg_roles WHERE rolname = current_user`;
      const made = { listens: '127.0.0.1', fsync: 'on', rolsuper: false, lower: 'é' };
      expect(await ask(user.url, settings)).toEqual([made]);
      await expect(ask(user.url.replace(/:[\w-]{32}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password');
      await ask(user.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      await user.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('is made by one of two simultaneous processes, and used by both', async () => {
      const dir = path.join(users.folder, 'both');
      const [one, two] = await Promise.all([users.use(dir), users.use(dir)]);
      expect(two.url).toBe(one.url);
      expect([one.fresh, two.fresh].sort()).toEqual([false, true]);
      expect(await readdir(dir)).toEqual(['postgresql']);
      await Promise.all([one.leave(), two.leave()]);
      expect(await isRunning(dir)).toBe(false);
    });
  });

  describe('on a folder with a cluster', () => {
    it('joins the running server, which the last process stops', async () => {
      const first = await users.use(dataDir);
      const second = await users.use(dataDir);
      expect([first.fresh, second.fresh, second.url]).toEqual([false, false, first.url]);
      await first.leave();
      expect(await ask(second.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      await second.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it('starts again until it succeeds, for example after a full disk, and keeps its data', async () => {
      const user = await users.use(dataDir);
      await ask(user.url, 'CREATE TABLE acknowledged AS SELECT 1 AS one');
      const file = path.join(dataDir, 'postgresql/data/postgresql.conf');
      const settings = await readFile(file);
      await appendFile(file, 'nonsense = 1\n');
      process.kill(await serverPid(dataDir), 'SIGKILL');
      await until(() => user.said().includes('The embedded PostgreSQL is gone; trying again: '));
      const begun = Date.now();
      // What is tried once more may be tried too early.
      while (Date.now() - begun < 1000) await expect(ask(user.url, 'SELECT 1')).rejects.toThrow();
      await writeFile(file, settings);
      await until(async () => (await ask(user.url, 'TABLE acknowledged').catch(() => [])).length === 1);
      await user.leave();
      expect(await isRunning(dataDir)).toBe(false);
    });

    it.each(['ready   ', 'starting'])(
      'recovers after a kill, even if the id and port of the server, which was %s, belong to somebody else',
      async (state) => {
        const first = await users.use(dataDir);
        const pid = await serverPid(dataDir);
        const file = path.join(dataDir, 'postgresql/data/postmaster.pid');
        const stale = await readFile(file, 'utf8');
        await first.kill();
        process.kill(pid, 'SIGKILL');
        const silent = createServer().listen(0, '127.0.0.1');
        await once(silent, 'listening');
        const port = String((silent.address() as AddressInfo).port);
        await writeFile(file, stale.replace(String(pid), String(process.pid)).replace(new URL(first.url).port, port).replace('ready   ', state)); // prettier-ignore
        const second = await users.use(dataDir);
        expect(await ask(second.url, 'TABLE kept')).toEqual([{ one: 1 }]);
        await second.leave();
        silent.close();
      },
    );
  });

  describe('a throw-away PostgreSQL', () => {
    it('is private, leaves nothing behind, and is cleaned up by the next one after a kill -9', async () => {
      const killed = await users.use('', { ephemeral: true });
      const [left = ''] = await throwAways();
      expect((await stat(path.join(users.folder, left))).mode & 0o777).toBe(0o700);
      expect(await ask(killed.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
      const pid = await serverPid(path.join(users.folder, left));
      await killed.kill();
      expect([await throwAways(), await isAlive(pid)]).toEqual([[left], true]);
      const next = await users.use('', { ephemeral: true });
      expect(await throwAways()).not.toContain(left);
      expect(await isAlive(pid)).toBe(false);
      await next.leave();
      expect(await throwAways()).toEqual([]);
    });
  });

  (process.geteuid?.() === 0 ? it : it.skip)(
    'works for root below a folder that only root can enter',
    async () => {
      const locked = path.join(users.folder, 'locked');
      await mkdir(locked, { mode: 0o700 });
      const dir = path.join(locked, 'deeper/data');
      const user = await users.use(dir);
      expect((await stat(path.join(dir, 'postgresql/data'))).uid).not.toBe(0);
      await user.leave();
      expect(await isRunning(dir)).toBe(false);
    },
  );

  async function modes(files: readonly string[]): Promise<number[]> {
    return Promise.all(files.map(async (file) => (await stat(path.join(dataDir, file))).mode & 0o777));
  }

  const throwAways = async (): Promise<string[]> =>
    (await readdir(users.folder)).filter((name) => name.startsWith(`wts-postgresql-${hostname()}-`));
});
