import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account } from './account.js';
import { reachableCopy } from './binaries-copy.js';
import { removeFolder } from './owned-folder.js';
import { completePackage, type Package, postgresPackage } from './package.js';
import { run } from './program.js';

/** Where a copy can be reached by every account, best first: nothing cleans the first one up. */
const PLACES = ['/var/cache', '/var/tmp', tmpdir()];

/** The folder with `initdb` and `postgres` that this account can run: the one in node_modules, or a copy of it. */
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
    // It stands where nothing may be executed, or part of it has been cleaned up: the next start copies anew.
    await removeFolder(copy);
    throw error;
  });
}

async function tryOut(folder: string, account: Account): Promise<string> {
  await completePackage(folder);
  const bin = path.join(folder, 'native/bin');
  const options = { ...account, cwd: '/', env: {} };
  // Both: they need different libraries.
  await Promise.all(
    ['initdb', 'postgres'].map((program) => run(path.join(bin, program), ['--version'], options)),
  );
  return bin;
}
