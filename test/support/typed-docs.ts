import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StageVisitEntity } from '../../src/automation/figures/stage-visit.entity.js';
import { prepareDemo } from '../../src/cli/demo/prepare-demo.js';
import { freePort } from './free-port.js';
import { startService } from './service.js';
import { type Block, blocksOf, type Difference, settingsOf, typeBlocks } from './typed-page.js';
import { testOptions } from './test-options.js';
import { until } from './until.js';

const root = resolve(import.meta.dirname, '../..');
const wts = `"${process.execPath}" "${join(root, 'dist/wts.js')}"`;

/** The blocks of a page, named by its path from the root of the project. */
export const blocksOfPage = (page: string): Block[] => blocksOf(readFileSync(join(root, page), 'utf8'));

/** Pages are typed into bash and use curl; CI must have both. */
export const canType = ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0);

export interface TypedPage {
  readonly differences: readonly Difference[];
  /** What the page left in the folder where it was typed, and among temporary files. */
  readonly left: readonly string[];
  readonly leftTemporary: readonly string[];
}

/** The recipes for definitions begin with an empty database. */
const isWithoutDemo = (page: string): boolean => page === 'docs/guide/definitions.md';

/** Types all commands of a page against a service with the demo, in an empty folder. */
export async function typePage(page: string): Promise<TypedPage> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-pages-'));
  for (const part of ['docs', 'node_modules']) await symlink(join(root, part), join(folder, part));
  await mkdir(join(folder, 'tmp'));
  const blocks = blocksOfPage(page);
  const data = { WTS_DATA_DIR: join(folder, 'tmp/data'), WTS_HOST: '127.0.0.1' };
  const settings = { ...data, ...inFolder(settingsOf(blocks), folder) };
  await mkdir(settings.WTS_DATA_DIR);
  const service = await startService({ ...testOptions({ background: 'always' }), ...settings });
  try {
    const { databaseUrl = '' } = service.config;
    const key = isWithoutDemo(page) ? '' : await prepareDemo(service.dataSource, service.config);
    // Somebody who types needs longer than the service needs for the figures of the demo.
    if (key) await until(() => service.dataSource.manager.exists(StageVisitEntity));
    const { port } = new URL(service.url);
    const otherPort = String(await freePort());
    // Where README's tour says what `KEY`, `API` and `api` are; the other pages begin with it.
    const beginning = blocksOfPage('README.md').find(({ text }) => text.startsWith('export KEY='));
    const isFirst = page === 'README.md' || isWithoutDemo(page);
    const typed = beginning && !isFirst ? [beginning, ...blocks] : blocks;
    const differences = await typeBlocks(typed, {
      folder,
      environment: { ...settings, DATABASE_URL: databaseUrl, PUBLIC_URL: `http://localhost:${port}`, TMPDIR: join(folder, 'tmp'), WTS_HOME: root, WTS_AUTHOR: 'you', NPM_CONFIG_UPDATE_NOTIFIER: 'false' }, // prettier-ignore
      adapt: (text) =>
        text
          .replace(/export KEY=wts_….*/, `export KEY=${key ?? ''}`)
          .replaceAll('localhost:3000', `localhost:${port}`)
          .replaceAll(/\b4000\b/g, otherPort)
          .replaceAll(/npm run -s (--prefix \S+ )?wts --/g, wts),
      restore: (printed) => printed.replaceAll(new RegExp(`(localhost|127.0.0.1):${port}`, 'g'), 'localhost:3000').replaceAll(otherPort, '4000').replaceAll(/^(database:|npm warn) .*\n/gm, ''),
    }); // prettier-ignore
    const left = (await readdir(folder)).sort();
    return { differences, left, leftTemporary: await readdir(join(folder, 'tmp')) };
  } finally {
    await service.stop();
    await rm(folder, { recursive: true });
  }
}

/** Settings that name files of the folder where somebody types, such as `file:./outbox`. */
function inFolder(settings: Record<string, string>, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value.replace('./', `${folder}/`)]),
  );
}
