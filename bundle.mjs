/**
 * Bundles what the compiled code imports of its dependencies into `node_modules` beside it, where Node.js finds it
 * first: a file a package in place of the two thousand that a start would have to find, read and link.
 */
import { build } from 'esbuild';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * What stays as it is: packages that are loaded only where they are used, Bull looking for files beside its own, and one
 * that must come before all others, which esbuild does not promise of parts that bundles share.
 */
const external = ['bull', 'ioredis', '@aws-sdk/client-s3', 'reflect-metadata'];

/** Bundles these imports into a folder. */
export async function bundle(imports, folder) {
  const own = imports.filter((path) => !external.includes(packageOf(path)));
  await build({
    entryPoints: Object.fromEntries(own.map((path) => [fileOf(path).replace(/\.js$/, ''), path])),
    plugins: [asImported, optional],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    outdir: folder,
    chunkNames: 'chunks/[hash]',
    banner: { js: commonJs },
    logLevel: 'error',
  });
  await Promise.all([...new Set(own.map(packageOf))].map((name) => describe(name, own, folder)));
}

export const packageOf = (path) => /^(@[^/]+\/)?[^/]+/.exec(path)[0];

const fileOf = (path) => (path === packageOf(path) ? `${path}/index.js` : path);

/** What a package of CommonJS has in `module.exports` can be imported by its name only if it is exported by that. */
const asImported = {
  name: 'as imported',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'entry-point' ? { path, namespace: 'imported' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'imported' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'module.exports');
      const lines = names.map(
        (name, index) => `const e${index} = all.${name}; export { e${index} as ${name} };`,
      );
      return {
        contents: [`import * as all from '${path}';`, ...lines].join('\n'),
        resolveDir: import.meta.dirname,
      };
    });
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

/** What modules of CommonJS take for granted. */
const commonJs = `
import { createRequire as bundledCreateRequire } from 'node:module';
const require = bundledCreateRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

async function describe(name, imports, folder) {
  const paths = imports.filter((path) => packageOf(path) === name);
  const exports = Object.fromEntries(
    paths.map((path) => [`.${path.slice(name.length)}`, `.${fileOf(path).slice(name.length)}`]),
  );
  const file = join(folder, name, 'package.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ name, type: 'module', exports }));
}
