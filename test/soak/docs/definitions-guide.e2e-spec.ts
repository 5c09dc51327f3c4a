import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

// The recipes are typed in an empty folder, with an empty database.
maybe('docs/guide/definitions.md, as it is typed', async () => {
  folder = await mkdtemp(join(tmpdir(), 'wts-guide-'));
  service = await startService({ WTS_DATA_DIR: join(folder, 'data') });
  const { port } = new URL(service.url);
  const environment = { DATABASE_URL: service.config.databaseUrl ?? '', WTS_DATA_DIR: join(folder, 'data'), WTS_AUTHOR: 'you', NPM_CONFIG_UPDATE_NOTIFIER: 'false' }; // prettier-ignore
  const quiet = (printed: string): string => printed.replaceAll(/^(database:|npm warn) .*\n/gm, '');
  const differences = await typeBlocks(blocksOfPage('docs/guide/definitions.md'), {
    folder,
    environment,
    adapt: (text) =>
      text.replaceAll('localhost:3000', `localhost:${port}`).replaceAll('npm run -s wts -- ', `${wts} `),
    restore: quiet,
  });
  expect(differences).toEqual([]);
});
