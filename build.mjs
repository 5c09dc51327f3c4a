/**
 * Compiles src/, migrations/ and bench/ into dist/, as a whole and in about a second. With `--if-stale` only when a
 * source is newer than the last build: that is how `npm start` and `npm run wts` always run what is there to read.
 */
import { transformFile } from '@swc/core';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = import.meta.dirname;
const stamp = join(root, 'dist/.built');
const sources = (await Promise.all(['src', 'migrations', 'bench'].map(list))).flat();

if (!process.argv.includes('--if-stale') || isStale()) await build();

async function list(folder) {
  const entries = await readdir(join(root, folder), { recursive: true });
  return [folder, ...entries.map((entry) => join(folder, entry))];
}

function isStale() {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const inputs = [...sources, 'package-lock.json', 'build.mjs', '.swcrc'];
  // A folder counts too: it changes when a file in it goes.
  return inputs.some((path) => statSync(join(root, path)).mtimeMs >= built);
}

async function build() {
  const fresh = join(root, `dist-${process.pid}`);
  const begun = new Date();
  await Promise.all(
    sources.filter((path) => /(?<!\.spec)\.ts$/.test(path)).map((path) => compile(path, fresh)),
  );
  await writeFile(join(fresh, '.built'), '');
  // What is edited meanwhile is newer than this build.
  await utimes(join(fresh, '.built'), begun, begun);
  await replace(join(root, 'dist'), fresh);
}

async function replace(folder, fresh) {
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder).catch(async (error) => {
    // Another build of the same sources was a moment faster.
    if (!existsSync(join(folder, '.built'))) throw error;
    await rm(fresh, { recursive: true });
  });
}

async function compile(path, to) {
  const { code } = await transformFile(join(root, path), { swcrc: true, root });
  const target = join(to, path.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}
