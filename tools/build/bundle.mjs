/**
 * Bundles the dependencies of the compiled code into one script in `dist/node_modules`, where Node.js looks
 * first. The same folder gets the code that V8 compiles from the script. Without the script, a start would
 * have to find, read, link and compile about two thousand files.
 */
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The packages outside the script. Bull looks for files beside its own, and `reflect-metadata` must be loaded
 * first. The others are loaded only where they are used.
 */
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
    // Each start reads the whole script. The line limit keeps lines short enough for stack traces.
    minifyWhitespace: true,
    lineLimit: 160,
    // Packages import optional packages by `import()`, which a script with stored compiled code cannot run.
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

/** The programs, each with its entry point in the compiled code. */
export const programs = { main: 'src/main.js', wts: 'src/cli/wts.js' };

/** The folder with the chunks of a program. Each build has its own folder in this folder. */
export const chunksOf = (program) => `bundle/${program}/src/common`;

/**
 * Bundles the compiled code of a build, separately for each program. If the programs shared chunks, the
 * chunks would be many small files, and each start would have to find them. `plugins` can change the bundles.
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
      // Each start reads the bundle. The source maps give stack traces the lines of `src/`.
      minifyWhitespace: true,
      lineLimit: 160,
      sourcemap: 'linked',
      sourcesContent: false,
      outdir: to,
      // As deep as `src/common/database`, because the code there finds the migrations by a relative path.
      chunkNames: `${chunksOf(name)}/${time}/[hash]`,
      logLevel: 'error',
    }),
  );
  await Promise.all(builds);
}

/** Imports all bundled dependencies from one script. Other dependencies stay imports. */
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

/**
 * Puts the classes of all migrations into one file, which is named like a migration. The file is part of the
 * bundle, because migrations may import our code.
 */
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

/** Wraps each imported package, so that the values in `module.exports` get named exports. */
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
 * Leaves out code that packages load but nothing here uses: telephone numbers, character sets, and TypeORM's
 * drivers of other databases. This code would be a fifth of the script, and each start reads the script.
 */
const unused = {
  name: 'unused',
  setup({ onLoad }) {
    onLoad({ filter: /\/(libphonenumber-js|iconv-lite|typeorm\/driver\/[^/]+)\// }, ({ path }) =>
      /\/driver\/(postgres|types)\//.test(path) ? undefined : { contents: 'module.exports = {};' },
    );
  },
};

/** Keeps imports of packages that are not installed, such as drivers of other databases. */
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

/**
 * Escapes the characters outside ASCII, so that the script can be read without decoding. esbuild leaves such
 * characters only in regular expressions and comments.
 */
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

/** Returns code that exports from `all` everything that the package exports. */
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
