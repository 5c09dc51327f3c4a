import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { accountFor, commandLine } from '../../../packages/local-postgres/process.js';
import { binariesFor, postgresPackage } from '../../../packages/local-postgres/binaries.js';
import {
  ask,
  type EmbeddedUsers,
  embeddedUsers,
  isRunning,
  repository,
  serverPid,
} from '../../support/embedded-users.js';

const nobody = { uid: 65534, gid: 65534 };
const isRoot = process.geteuid?.() === 0;
const reachesUs = spawnSync(
  process.execPath,
  ['-e', `fs.accessSync('${repository}/package.json')`],
  isRoot ? nobody : {},
);
const asRoot = isRoot ? it : it.skip;
const asRootAndUser = isRoot && reachesUs.status === 0 ? it : it.skip;

describe('an embedded PostgreSQL and its owner', () => {
  let users: EmbeddedUsers;

  beforeAll(async () => {
    users = await embeddedUsers();
  });
  afterAll(() => users.end());

  describe('a throw-away one', () => {
    it('is private, leaves nothing behind, and after a kill -9 the next one cleans up', async () => {
      const killed = await users.use('', { ephemeral: true });
      const [left = ''] = await throwAways();
      expect((await stat(path.join(users.folder, left))).mode & 0o777).toBe(0o700);
      const orderly = await users.use('', { ephemeral: true });
      expect(orderly.url).not.toBe(killed.url);
      expect(await ask(killed.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
      const pid = await serverPid(path.join(users.folder, left));
      await Promise.all([killed.kill(), orderly.leave()]);
      expect(await throwAways()).toEqual([left]);
      expect(await commandLine(pid)).not.toBe('');
      const next = await users.use('', { ephemeral: true });
      expect(await throwAways()).not.toContain(left);
      expect(await commandLine(pid)).toBe('');
      await next.leave();
      expect(await throwAways()).toEqual([]);
    });
  });

  describe('for root and for a user', () => {
    asRoot('works below a folder that only root can enter', async () => {
      const locked = path.join(users.folder, 'locked');
      await mkdir(locked, { mode: 0o700 });
      const dir = path.join(locked, 'deeper/data');
      const first = await users.use(dir);
      await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      process.kill(await serverPid(dir), 'SIGKILL');
      await first.kill();
      const second = await users.use(dir);
      expect(await ask(second.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      expect((await stat(path.join(dir, 'postgresql/data'))).uid).not.toBe(0);
      await second.leave();
      expect(await isRunning(dir)).toBe(false);
    });

    asRoot('runs a copy of programs that the account of PostgreSQL cannot reach', async () => {
      const { folder: original, version } = await postgresPackage();
      const locked = path.join(users.folder, 'checkout');
      const place = path.join(users.folder, 'place');
      await mkdir(locked, { mode: 0o700 });
      await mkdir(place);
      spawnSync('cp', ['-R', original, path.join(locked, 'package')]);
      await chmod(path.join(locked, 'package/native/bin/initdb'), 0o600);
      const origin = { folder: path.join(locked, 'package'), version };
      const account = await accountFor(path.join(users.folder, 'none'));
      const found = await Promise.all([1, 2].map(() => binariesFor(account, origin, [place])));
      const copy = path.join(place, `wts-postgresql-${version}-0`);
      expect(found).toEqual([path.join(copy, 'native/bin'), path.join(copy, 'native/bin')]);
      expect((await stat(copy)).mode & 0o777).toBe(0o755);
      expect(await readdir(place)).toHaveLength(1);
      await chown(copy, nobody.uid, nobody.gid);
      await expect(binariesFor(account, origin, [place])).rejects.toThrow('was not made by this user');
    });

    asRootAndUser('works for a user, and neither opens the folder of the other', async () => {
      const home = path.join(users.folder, 'home');
      await mkdir(home);
      await chown(home, nobody.uid, nobody.gid);
      const theirs = path.join(home, 'data');
      const user = await users.use(theirs, { as: nobody });
      expect(user.fresh).toBe(true);
      expect((await stat(path.join(theirs, 'postgresql/data'))).uid).toBe(nobody.uid);
      await user.leave();
      const ours = path.join(users.folder, 'locked/deeper/data');
      const advice = 'run as the user who made it, or name another folder with WTS_DATA_DIR.';
      expect(await users.refusal(theirs)).toBe(
        `The data folder ${theirs} cannot be used by this user (it belongs to the user with the id 65534): ${advice}`,
      );
      expect(await users.refusal(ours, { as: nobody })).toBe(
        `The data folder ${ours} cannot be used by this user (EACCES): ${advice}`,
      );
    });
  });

  async function throwAways(): Promise<string[]> {
    return (await readdir(users.folder)).filter((name) => name.startsWith(`wts-postgresql-${hostname()}-`));
  }
});
