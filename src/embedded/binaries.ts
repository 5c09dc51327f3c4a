import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account } from './account.js';
import { reachableCopy } from './binaries-copy.js';
import { completePackage, postgresPackage } from './package.js';
import { run } from './program.js';

/** Where a copy can be reached by every account, best first: nothing cleans the first one up. */
const PLACES = ['/var/cache', '/var/tmp', tmpdir()];

/** The folder with `initdb` and `postgres` that this account can run: the one in node_modules, or a copy of it. */
export async function binariesFor(account: Account, places = PLACES): Promise<string> {
  const { folder, version } = await postgresPackage();
  const sources = [
    () => Promise.resolve(folder),
    ...places.map((place) => () => reachableCopy(folder, version, place)),
  ];
  const failures: string[] = [];
  for (const source of sources) {
    try {
      return await tryOut(await source(), account);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `The PostgreSQL that npm has installed does not run here; set DATABASE_URL to a PostgreSQL of yours. Tried:\n${failures.join('\n')}`,
  );
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
