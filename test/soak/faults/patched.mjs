// node patched.mjs FOLDER NAMES: puts the built service into a folder, as the patches of these names want it.
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleOwn } from '../../../bundle.mjs';
import { patches } from './patches.mjs';

const root = join(import.meta.dirname, '../../..');
const [, , folder, names] = process.argv;
const wanted = names.split(',').flatMap((name) => patches[name]);

const patching = {
  name: 'patching',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const changes = wanted.filter(({ file }) => path.endsWith(file));
      if (changes.length === 0) return undefined;
      let contents = await readFile(path, 'utf8');
      for (const { file, from, to } of changes) {
        if (!contents.includes(from)) throw new Error(`${file} has nothing to patch: ${from}`);
        contents = contents.replaceAll(from, to);
      }
      return { contents };
    });
  },
};

await mkdir(join(folder, 'dist'));
await cp(join(root, 'package.json'), join(folder, 'package.json'));
for (const part of ['docs', 'node_modules', 'dist/node_modules', 'dist/src'])
  await symlink(join(root, part), join(folder, part));
await bundleOwn(join(root, 'dist'), join(folder, 'dist'), [patching]);
