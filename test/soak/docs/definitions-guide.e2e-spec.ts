import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyProject } from '../../support/project-copy.js';
import { startService, type TestService } from '../../support/service.js';
import { blocksOfPage, canType } from '../../support/typed-docs.js';
import { typeBlocks } from '../../support/typed-page.js';

const wts = `"${process.execPath}" "${resolve(import.meta.dirname, '../../../dist/wts.js')}"`;
const maybe = canType || process.env['CI'] ? it : it.skip;
let folder: string;
let service: TestService;

afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

// The recipes write migrations: they are typed in a copy of the project, with an empty database.
maybe('docs/guide/definitions.md, as it is typed', async () => {
  folder = await copyProject(['docs', '.prettierrc.json']);
  service = await startService({ WTS_DATA_DIR: join(folder, 'data') });
  const { port } = new URL(service.url);
  const environment = { DATABASE_URL: service.config.databaseUrl ?? '', WTS_DATA_DIR: join(folder, 'data'), WTS_AUTHOR: 'you', NPM_CONFIG_UPDATE_NOTIFIER: 'false' }; // prettier-ignore
  const quiet = (printed: string): string => printed.replaceAll(/^(database:|npm warn) .*\n/gm, '');
  const differences = await typeBlocks(blocksOfPage('docs/guide/definitions.md'), {
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
