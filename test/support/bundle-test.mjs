import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const bundles = createRequire(join(dist, 'main.js'));

/**
 * Writes a test and its imports from test/ into one file, and returns the file's path. The test imports the tested
 * code from the build, as the service does; the file is placed there, so that both find the same packages.
 */
export async function bundleTest(path) {
  const outfile = join(dist, `${relative(root, path)}.${process.pid}.mjs`);
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [ofJest, fromBuild, inItsPlace],
  });
  return outfile;
}

const fromBuild = {
  name: 'from build',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const file = relative(root, resolve(resolveDir, path));
      if (/(^|\/)test\//.test(file)) return undefined;
      return { path: join(dist, file), external: true };
    });
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      try {
        bundles.resolve(path);
        return undefined;
      } catch {
        // The service uses another part of this package, or none of it.
        return { path: fileURLToPath(import.meta.resolve(path)), external: true };
      }
    });
  },
};

/** Jest creates its globals for each file; only `jest` has to be imported. */
const ofJest = {
  name: 'of jest',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@jest\/globals$/ }, ({ path }) => ({ path, namespace: 'jest' }));
    onLoad({ filter: /./, namespace: 'jest' }, () => ({ contents: 'export const { jest } = globalThis;' }));
  },
};

/** Makes a module's own location that of its source. */
const inItsPlace = {
  name: 'in its place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8'))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};
