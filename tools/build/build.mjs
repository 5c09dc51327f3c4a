/**
 * Compiles src/, packages/, migrations/, bench/ and tools/ into dist/. Then bundles the programs, and also
 * the dependencies if they have changed. With `--if-stale`, builds only if a source is newer than the last
 * build. `npm start` and `npm run wts` call this script with `--if-stale`, so they never run an old build.
 */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

// The first code that npm start, npm test and npm run wts run, and without imports that an old Node.js lacks.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`The service needs Node.js 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

const root = join(import.meta.dirname, '../..');
const assets = 'src/console/assets';
const libraries = ['turbo/dist/turbo.es2017-esm.js', 'stimulus/dist/stimulus.js'];
const stamp = join(root, 'dist/.built');
const sources = (await Promise.all(['src', 'packages', 'migrations', 'bench', 'tools'].map(list))).flat();

if (process.argv.includes('--if-stale') && !isStale()) process.exit();
// Imported only after the check, because most commands find nothing to build.
const [
  { transformFile },
  { transform },
  { bundle, bundleOwn, chunksOf, packageOf, programs },
  { optionsOf },
] = await Promise.all([import('@swc/core'), import('esbuild'), import('./bundle.mjs'), import('./swc.mjs')]);
await build();

async function list(folder) {
  const entries = await readdir(join(root, folder), { recursive: true });
  // The build output of a package is not a source.
  return [folder, ...entries.map((entry) => join(folder, entry))].filter(
    (path) => !/(^|\/)dist\b/.test(path),
  );
}

function isStale() {
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const inputs = [...sources, 'package-lock.json'];
  // Folders are checked, too, because a folder's time changes when a file in it is removed.
  return inputs.some((path) => statSync(join(root, path)).mtimeMs >= built);
}

async function build() {
  const fresh = join(root, `dist-${process.pid}`);
  const begun = new Date();
  const compiled = await Promise.all(
    sources.filter((path) => /(?<!\.spec)\.tsx?$/.test(path)).map((path) => compile(path, fresh)),
  );
  await Promise.all(
    sources.filter((path) => path.endsWith('.sql')).map((path) => cp(join(root, path), join(fresh, path))),
  );
  await mkdir(join(fresh, assets), { recursive: true });
  await Promise.all([
    ...(await readdir(join(root, assets))).map((name) =>
      minify(join(assets, name), join(fresh, assets, name)),
    ),
    ...libraries.map((path) =>
      minify(join('node_modules/@hotwired', path), join(fresh, assets, path.replace(/\/.*/, '.js'))),
    ),
  ]);
  await bundleDependencies(compiled, fresh);
  await Promise.all([bundleOwn(fresh), keepChunks(fresh)]);
  await writeFile(join(fresh, '.built'), '');
  // The build gets the time at which it began. A source edited during the build is then newer.
  await utimes(join(fresh, '.built'), begun, begun);
  await replace(join(root, 'dist'), fresh);
}

/** Keeps the chunks of the last three builds, because running processes may still load them. */
async function keepChunks(to) {
  for (const chunks of Object.keys(programs).map(chunksOf)) {
    const builds = await readdir(join(root, 'dist', chunks)).catch(() => []);
    for (const build of builds.sort().slice(-3))
      // Another build may replace the chunks while they are copied.
      await cp(join(root, 'dist', chunks, build), join(to, chunks, build), { recursive: true }).catch(
        () => undefined,
      );
  }
}

/** Minifies a script or a style sheet for browsers. Copies other files unchanged. */
async function minify(path, to) {
  const loader = /\.(js|css)$/.exec(path)?.[1];
  if (!loader) return cp(join(root, path), to);
  const { code } = await transform(await readFile(join(root, path)), { loader, minify: true });
  await writeFile(to, code);
}

async function replace(folder, fresh) {
  const old = `${folder}-old-${process.pid}`;
  // Another build may replace the folder at the same time. If that build is first, its result is kept.
  await rename(folder, old).catch(() => undefined);
  await rename(fresh, folder).catch(async (error) => {
    if (!existsSync(join(folder, '.built'))) throw error;
    await rm(fresh, { recursive: true });
  });
  await rm(old, { recursive: true, force: true });
}

async function compile(path, to) {
  const { code } = await transformFile(join(root, path), { root, ...optionsOf(path) });
  const target = join(to, path.replace(/\.tsx?$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
  return code;
}

/** Bundles the imported dependencies. If the last build had the same inputs, copies its bundles instead. */
async function bundleDependencies(compiled, to) {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const named = compiled.flatMap((code) =>
    [...code.matchAll(/^import .*?["']([^."'][^"']*)["'];$/gm)].map(([, path]) => path),
  );
  const imports = [...new Set(named)].filter((path) => packageOf(path) in dependencies).sort();
  const inputs = await Promise.all(
    ['package-lock.json', 'tools/build/bundle.mjs', 'tools/build/load-packages.mjs'].map((path) =>
      readFile(join(root, path)),
    ),
  );
  const hash = inputs
    .reduce((hash, input) => hash.update(input), createHash('sha256').update(imports.join()))
    .digest('hex');
  const last = join(root, 'dist/node_modules');
  const target = join(to, 'node_modules');
  // Another build may replace the folder while it is copied.
  const isCopied =
    existsSync(join(last, hash)) &&
    (await cp(last, target, { recursive: true }).then(
      () => true,
      () => false,
    ));
  if (isCopied) return;
  await rm(target, { recursive: true, force: true });
  await bundle(imports, target);
  await writeFile(join(target, hash), '');
}
