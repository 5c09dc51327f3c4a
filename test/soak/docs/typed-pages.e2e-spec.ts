import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareDemo } from '../../../src/demo/prepare-demo.js';
import { freePort } from '../../support/free-port.js';
import { copyProject } from '../../support/project-copy.js';
import { startService, type TestService } from '../../support/service.js';
import { type Block, blocksOf, isTyped, settingsOf, typeBlocks } from '../../support/typed-page.js';

const root = resolve(import.meta.dirname, '../../..');
const wts = `"${process.execPath}" "${join(root, 'dist/wts.js')}"`;

const read = (page: string): Block[] => blocksOf(readFileSync(join(root, page), 'utf8'));
/** Its recipes write migrations: they are typed in a copy of the project, with an empty database. */
const recipes = 'docs/guide/definitions.md';
const pages =
  ['README.md', ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).sort().map((name) => join('docs', name))] // prettier-ignore
    .filter((page) => page.endsWith('.md') && page !== recipes && read(page).some(isTyped));
/** Where README's tour says what `KEY`, `API` and `api` are; the other pages begin with it. */
const beginning = read('README.md').find(({ text }) => text.startsWith('export KEY='));

// Pages are typed into bash and use curl; CI must have both.
const canType = ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0);

(canType || process.env['CI'] ? describe : describe.skip)('README and docs, as they are typed', () => {
  let folder: string;
  let service: TestService | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wts-pages-'));
    for (const part of ['docs', 'node_modules']) await symlink(join(root, part), join(folder, part));
    await mkdir(join(folder, 'tmp'));
  });
  afterEach(async () => {
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  it.each(pages)('%s', async (page) => {
    const blocks = read(page);
    const settings = {
      WTS_DATA_DIR: join(folder, 'tmp/data'),
      WTS_HOST: '127.0.0.1',
      ...inFolder(settingsOf(blocks), folder),
    };
    await mkdir(settings.WTS_DATA_DIR);
    service = await startService(settings);
    const { databaseUrl = '' } = service.config;
    const key = (await prepareDemo(service.dataSource, service.config, service.blobs)) ?? '';
    const { port } = new URL(service.url);
    const otherPort = String(await freePort());
    const typed = beginning && page !== 'README.md' ? [beginning, ...blocks] : blocks;
    const differences = await typeBlocks(typed, {
      folder,
      environment: { ...settings, DATABASE_URL: databaseUrl, PUBLIC_URL: `http://localhost:${port}`, TMPDIR: join(folder, 'tmp'), WTS_HOME: root, WTS_AUTHOR: 'you', NPM_CONFIG_UPDATE_NOTIFIER: 'false' }, // prettier-ignore
      adapt: (text) =>
        text
          .replace(/export KEY=wts_….*/, `export KEY=${key}`)
          .replaceAll('localhost:3000', `localhost:${port}`)
          .replaceAll(/\b4000\b/g, otherPort)
          .replaceAll(/npm run -s (--prefix \S+ )?wts --/g, wts),
      restore: (printed) => printed.replaceAll(new RegExp(`(localhost|127.0.0.1):${port}`, 'g'), 'localhost:3000').replaceAll(otherPort, '4000').replaceAll(/^database: .*\n/gm, ''),
    }); // prettier-ignore
    expect(differences).toEqual([]);
    if (page !== 'README.md') return;
    // The tour leaves nothing behind, neither in the checkout nor among temporary files.
    expect((await readdir(folder)).sort()).toEqual(['docs', 'node_modules', 'tmp']);
    expect(await readdir(join(folder, 'tmp'))).toEqual(['data']);
  });

  it(recipes, async () => {
    await rm(folder, { recursive: true });
    folder = await copyProject(['docs', '.prettierrc.json']);
    service = await startService({ WTS_DATA_DIR: join(folder, 'data') });
    const { port } = new URL(service.url);
    const environment = { DATABASE_URL: service.config.databaseUrl ?? '', WTS_DATA_DIR: join(folder, 'data'), WTS_AUTHOR: 'you', NPM_CONFIG_UPDATE_NOTIFIER: 'false' }; // prettier-ignore
    const quiet = (printed: string): string => printed.replaceAll(/^(database:|npm warn) .*\n/gm, '');
    const differences = await typeBlocks(read(recipes), {
      folder,
      environment,
      // Only what has to do with migrations must find out whether there is something to build.
      adapt: (text) =>
        text
          .replaceAll('localhost:3000', `localhost:${port}`)
          .replaceAll(/npm run -s wts -- (?!migrat|undo-migration|export)/g, `${wts} `),
      restore: quiet,
    });
    expect(differences).toEqual([]);

    // An awkward text becomes a migration that looks as ours do, and applies that text.
    const odd = "workspace: { id: odd, name: 'a`b ${c} \\d \\\\ */' } # `${x}`\n";
    await writeFile(join(folder, 'odd.yaml'), odd);
    const commands = ['npm run -s wts -- migration odd.yaml', 'npx prettier --check migrations/*-odd.ts', 'npm run -s wts -- migrate', 'npm run -s wts -- export odd']; // prettier-ignore
    const typed = spawnSync('bash', ['-e', '-c', commands.join('\n')], { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...environment }, encoding: 'utf8' }); // prettier-ignore
    expect([typed.status, quiet(typed.stderr)]).toEqual([0, '']);
    expect(typed.stdout).toMatch(/^migrated: ApplyOdd\d{13}$/m);
    expect(typed.stdout.endsWith(odd.replace(/ #.*/, ''))).toBe(true);
  });
});

/** Settings that name files of the folder where somebody types, such as `file:./outbox`. */
function inFolder(settings: Record<string, string>, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value.replace('./', `${folder}/`)]),
  );
}
