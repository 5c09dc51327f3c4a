/**
 * Bundles what the compiled code imports of its dependencies into `node_modules` beside it, where Node.js finds it
 * first: one script, and what V8 has compiled of it, in place of the two thousand files that a start would have to find,
 * read, link and compile.
 */
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages loaded only where used, Bull looking for files beside its own, and one that must come first. */
const external = [
  'bull',
  'ioredis',
  '@aws-sdk/client-s3',
  '@modelcontextprotocol/server',
  'reflect-metadata',
];

export async function bundle(imports, folder) {
  const own = imports.filter((path) => !external.includes(packageOf(path)));
  const loaders = own.map((path) => `${JSON.stringify(path)}: () => require(${JSON.stringify(path)}),`);
  const { outputFiles } = await build({
    stdin: { contents: `module.exports = {\n${loaders.join('\n')}\n};`, resolveDir: import.meta.dirname },
    plugins: [unused, asImported, optional],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external,
    define: {
      'import.meta.url': '__url',
      'import.meta.filename': '__filename',
      'import.meta.dirname': '__dirname',
    },
    // A start reads all of it; lines stay short enough for stack traces.
    minifyWhitespace: true,
    lineLimit: 160,
    // What is optional is asked for by it; a script that was compiled before cannot have it.
    supported: { 'dynamic-import': false },
    write: false,
    logLevel: 'error',
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'packages.cjs'), inAscii(outputFiles[0].text));
  await cp(join(import.meta.dirname, 'load-packages.mjs'), join(folder, 'packages.mjs'));
  await Promise.all([...new Set(own.map(packageOf))].map((name) => describe(name, own, folder)));
  await describe('packages', ['packages'], folder);
  await writeFile(join(folder, 'packages/index.js'), `export * from '../packages.mjs';`);
  await Promise.all(own.map((path) => reexport(path, folder)));
  const { keepCompiled } = await import(pathToFileURL(join(folder, 'packages.mjs')).href);
  keepCompiled();
}

/** What is started, and where it begins in the compiled code. */
export const programs = { main: 'src/main.js', wts: 'src/cli/wts.js' };

/** Where the chunks of a program's builds lie. */
export const chunksOf = (program) => `bundle/${program}/src/common`;

/**
 * Bundles the compiled code of a build, `main.js` and `wts.js` each for itself: what they share would be many small files, and
 * a start would have to find each of them. `plugins` may change what is bundled.
 */
export async function bundleOwn(folder, to = folder, plugins = []) {
  const time = Date.now();
  const builds = Object.entries(programs).map(([name, program]) =>
    build({
      absWorkingDir: folder,
      entryPoints: { [name]: program, [`bundle/${name}/migrations/0000000000000-all`]: 'migrations' },
      plugins: [together, withPackages(folder), ...plugins],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // A start reads it; stack traces have the lines of `src/`, by the maps.
      minifyWhitespace: true,
      lineLimit: 160,
      sourcemap: 'linked',
      sourcesContent: false,
      outdir: to,
      // As deep as `src/common/database`, which finds the migrations from where it lies.
      chunkNames: `${chunksOf(name)}/${time}/[hash]`,
      logLevel: 'error',
    }),
  );
  await Promise.all(builds);
}

/** Takes what is bundled of the dependencies from their script, without a file for each of them. Others stay imports. */
const withPackages = (folder) => ({
  name: 'with packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const file = join(folder, 'node_modules', fileOf(path));
      return existsSync(file) ? { path: file } : { path, external: true };
    });
    onResolve({ filter: /packages\.mjs$/ }, () => ({ path: 'packages', external: true }));
  },
});

/** The classes of all migrations in one file, named as a migration is; in the bundle, too, as they may import of our code. */
const together = {
  name: 'together',
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir } }) {
    onResolve({ filter: /^migrations$/ }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /./, namespace: 'together' }, async () => {
      const resolveDir = join(absWorkingDir, 'migrations');
      const files = (await readdir(resolveDir)).filter((name) => /^\d{13}-.*\.js$/.test(name)).sort();
      return { contents: files.map((file) => `export * from './${file}';`).join('\n'), resolveDir };
    });
  },
};

export const packageOf = (path) => /^(@[^/]+\/)?[^/]+/.exec(path)[0];

const fileOf = (path) => (path === packageOf(path) ? `${path}/index.js` : `${path.replace(/\.js$/, '')}.js`);

/** What a package of CommonJS has in `module.exports` can be imported by its name only if it is exported by that. */
const asImported = {
  name: 'as imported',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ importer, path }) =>
      importer === '<stdin>' ? { path, namespace: 'imported' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'imported' }, async ({ path }) => {
      const contents = `import * as all from '${path}';\n${await exportsOf(path)}`;
      return { contents, resolveDir: import.meta.dirname };
    });
  },
};

/**
 * What packages load and nothing here uses: telephone numbers, character sets, and TypeORM's drivers of other databases.
 * A fifth of the script would be theirs, and a start reads all of it.
 */
const unused = {
  name: 'unused',
  setup({ onLoad }) {
    onLoad({ filter: /\/(libphonenumber-js|iconv-lite|typeorm\/driver\/[^/]+)\// }, ({ path }) =>
      /\/driver\/(postgres|types)\//.test(path) ? undefined : { contents: 'module.exports = {};' },
    );
  },
};

/** What is not installed is asked for only by those who use it: drivers of other databases, other transports. */
const optional = {
  name: 'optional',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/, namespace: 'file' }, async ({ path, pluginData, ...from }) => {
      if (pluginData === optional) return undefined;
      const { errors, ...found } = await resolve(path, { ...from, pluginData: optional });
      return errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** So that it can be read without decoding. esbuild leaves other characters in regular expressions and comments only. */
const inAscii = (code) =>
  code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function reexport(path, folder) {
  const file = fileOf(path);
  const packages = `${'../'.repeat(file.split('/').length - 1)}packages.mjs`;
  const lines = [
    `import { load } from '${packages}';`,
    `const all = load('${path}');`,
    await exportsOf(path),
  ];
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), lines.join('\n'));
}

/** Exports from `all` what a package exports. */
async function exportsOf(path) {
  const names = Object.keys(await import(path)).filter((name) => name !== 'module.exports');
  const lines = names.map((name, index) => `const e${index} = all.${name}; export { e${index} as ${name} };`);
  return lines.join('\n');
}

async function describe(name, imports, folder) {
  const paths = imports.filter((path) => packageOf(path) === name);
  const exports = Object.fromEntries(
    paths.map((path) => [`.${path.slice(name.length)}`, `.${fileOf(path).slice(name.length)}`]),
  );
  const file = join(folder, name, 'package.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ name, type: 'module', exports }));
}
