// Prints figures about the size of the project: `npm run house`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const isCode = /\.(tsx?|css|m?js|cjs|sql)$/;
const isSpec = /[.-]spec\.ts$/;

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !/(^|\/)(dist|node_modules)\//.test(file));
const textOf = (file) => readFileSync(join(root, file), 'utf8');
const linesOf = (files) => files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
const code = (folder) => filesIn(folder).filter((file) => isCode.test(file));
const entries = (folder) => readdirSync(join(root, folder), { withFileTypes: true });

const [src, test, packages] = ['src', 'test', 'packages'].map(code);
const tests = [...test, ...packages.filter((file) => isSpec.test(file))];
const contract = tests.filter((file) => isSpec.test(file) && !file.includes('/soak/'));
const waits = contract.flatMap((file) => textOf(file).match(/\b(until|sleep|setTimeout)\(/g) ?? []);

// Some lists of definitions. A figure counts the files that import or name the list outside its folder.
const lists = [
  ['schedule', 'automation/schedules'],
  ['clock', 'automation/clocks'],
  ['rule', 'automation/rules'],
  ['webhook', 'webhooks'],
  ['channel', 'messages'],
];
const namesOutside = (name, folder) =>
  src.filter((file) => {
    if (file.startsWith(`src/${folder}/`)) return false;
    const code = textOf(file).replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
    const isImported = [...code.matchAll(/from '([^']*)'/g)].some(([, path]) => path.includes(name));
    const texts = [...code.replaceAll(/(from|import) '[^']*'/g, '').matchAll(/'([^'\n]*)'|`([^`]*)`/g)];
    return (
      isImported ||
      texts.some(([, text, template]) => new RegExp(`^/?(\\w+/)?${name}s?([._/-]|$)`).test(text ?? template))
    );
  });
// The console must not import repositories, entities or SQL. test/architecture.spec.ts checks this rule.
const sqlImports = src
  .filter((file) => file.startsWith('src/console/'))
  .flatMap((file) => [...textOf(file).matchAll(/ from '([^']+)'/g)])
  .filter(([, path]) => /^(@nestjs\/)?typeorm|^pg$|\.(entity|repository)\.js$|database\/sql/.test(path));

const figures = {
  'src, lines': linesOf(src),
  'src, files': src.length,
  'src, folders': entries('src').filter((entry) => entry.isDirectory()).length,
  'src/console, lines': linesOf(src.filter((file) => file.startsWith('src/console/'))),
  'src/console, imports of repositories, entities or SQL': sqlImports.length,
  'packages, lines without tests': linesOf(packages.filter((file) => !/\/test\//.test(file))),
  'test, lines': linesOf(test),
  'test/soak, lines': linesOf(test.filter((file) => file.includes('/soak/'))),
  'waits in spec files of npm test': waits.length,
  'bench, lines': linesOf(code('bench')),
  migrations: entries('migrations').filter((entry) => entry.isFile()).length,
  'pages of docs': filesIn('docs').filter((file) => file.endsWith('.md')).length,
  'README, lines': linesOf(['README.md']),
};
for (const [name, folder] of lists)
  figures[`files of src outside src/${folder} that name a ${name}`] = namesOutside(name, folder).length;
for (const [what, count] of Object.entries(figures)) console.log(`${what}: ${count}`);
