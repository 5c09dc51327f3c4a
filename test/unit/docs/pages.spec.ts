import { features } from '../../../src/features.js';
import { fieldTypes } from '../../../src/workflows/fields/field-types.js';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { blocksOf } from '../../support/typed-page.js';

const root = resolve(import.meta.dirname, '../../..');
const folder = await temporaryFolder();
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const pages = [...readdirSync(root), ...filesIn('docs'), ...filesIn('bench'), ...filesIn('packages')].filter(
  (file) => file.endsWith('.md'),
);

/** A page without what only looks like links and headings. */
const prose = (page: string): string => read(page).replace(/^```.*?^```$/gms, '');

/** The anchors of a page, as GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(page).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const again = [...anchors].filter((other) => other.replace(/-\d+$/, '') === anchor).length;
    anchors.add(again === 0 ? anchor : `${anchor}-${again}`);
  }
  return anchors;
}

/** Why a link of a page leads nowhere; nothing, where it leads somewhere. */
function fault(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  if (!existsSync(join(root, file))) return `${page}: ${link} is not there`;
  if (anchor !== undefined && !anchorsOf(file).has(anchor)) return `${page}: ${link} is no heading`;
  return undefined;
}

describe('the backup of the guide', () => {
  const backup = blocksOf(read('docs/guide/production.md')).find(({ text }) =>
    text.includes('pg_dump'),
  )?.text;
  /** Programs of PostgreSQL that not every machine has, in so far as they write a dump of a database. */
  const programs =
    'pg_dump() { echo "${@: -1}" > wts.dump; }\npg_restore() { echo "5; 0 1 TABLE DATA public tasks wts"; }\n';
  beforeEach(() => {
    for (const left of readdirSync(folder)) rmSync(join(folder, left), { recursive: true });
    mkdirSync(join(folder, '.data/blobs/ab'), { recursive: true });
    writeFileSync(join(folder, '.data/blobs/ab/first'), '1');
  });

  function back(environment: Record<string, string>): { status: number | null; dump: string | undefined } {
    const env = { PATH: process.env['PATH'], ...environment };
    const { status } = spawnSync('bash', ['-ec', `${programs}${backup}`], { cwd: folder, env });
    const dump = join(folder, 'wts.dump');
    return { status, dump: existsSync(dump) ? readFileSync(dump, 'utf8').trim() : undefined };
  }

  it('is of the configured database, whether the address is in a variable or a file', () => {
    const address = 'postgres://wts@db/wts';
    writeFileSync(join(folder, 'address'), `${address}\n`);
    expect(back({ DATABASE_URL: address })).toEqual({ status: 0, dump: address });
    expect(back({ DATABASE_URL_FILE: 'address' })).toEqual({ status: 0, dump: address });
  });

  it('fails if no database is configured', () => {
    expect(back({})).toEqual({ status: expect.any(Number), dump: undefined });
    expect(back({ DATABASE_URL_FILE: 'none' }).status).not.toBe(0);
  });

  it('copies the attachments of WTS_DATA_DIR, or of WTS_BLOB_STORE', () => {
    renameSync(join(folder, '.data'), join(folder, 'elsewhere'));
    const settings = [
      { WTS_DATA_DIR: 'elsewhere' },
      { WTS_DATA_DIR: 'none', WTS_BLOB_STORE: 'elsewhere/blobs' },
    ];
    for (const setting of settings) {
      expect(back({ DATABASE_URL: 'postgres://db', ...setting }).status).toBe(0);
      expect(readdirSync(join(folder, 'blobs-backup', 'ab'))).toEqual(['first']);
      rmSync(join(folder, 'blobs-backup'), { recursive: true });
    }
  });

  it('adds new attachments to the existing copy', () => {
    back({ DATABASE_URL: 'postgres://db' });
    writeFileSync(join(folder, '.data/blobs/ab/second'), '2');
    back({ DATABASE_URL: 'postgres://db' });
    expect(readdirSync(join(folder, 'blobs-backup'), { recursive: true })).toEqual([
      'ab',
      'ab/first',
      'ab/second',
    ]);
  });
});

describe('the pages', () => {
  it('say how to change the import in a copy of the example of a migration', () => {
    const [, from = '', to = ''] =
      /change `(\S+)` to `(\S+)` in the copy/.exec(read('docs/guide/definitions.md')) ?? [];
    const copy = read('migrations/examples/1795305600000-seed-helpdesk.ts').replace(`'${from}`, `'${to}`);
    const [, path = ''] = /from '(\.\S+)\.js'/.exec(copy) ?? [];
    expect(existsSync(join(root, 'migrations', `${path}.ts`))).toBe(true);
  });

  it('link to existing files and headings', () => {
    const links = pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(({ 1: link = '' }) => ({ page, link })),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(links.map(({ page, link }) => fault(page, link)).filter(Boolean)).toEqual([]);
  });

  it('name the language of each block, so that a test can type the commands', () => {
    const typed = pages.filter((page) => page === 'README.md' || page.startsWith('docs'));
    const bare = typed.filter((page) => blocksOf(read(page)).some(({ language }) => language === ''));
    expect(bare).toEqual([]);
  });

  it('are named correctly in other files', () => {
    const others = [...filesIn('src'), ...filesIn('test'), ...filesIn('docs'), ...readdirSync(root)].filter(
      (file) => /\.(ts|mjs|json|md|yml|yaml)$/.test(file),
    );
    const named = others.flatMap((file) =>
      [...read(file).matchAll(/docs\/[\w./-]*\.(?:md|ya?ml|schema\.json)/g)].map(([path]) => ({
        file,
        path,
      })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the reference of the API', () => {
  it('names every type of field', () => {
    const [, table = ''] = read('docs/reference/api.md').split('\n### The types of fields\n');
    const [rows = ''] = table.trim().split('\n\n');
    const told = Array.from(rows.matchAll(/^\| `(\w+)` /gm), ([, type]) => type);
    expect(told).toEqual([...fieldTypes.keys()]);
  });

  it('names every type of event', () => {
    const types = read('docs/reference/api.md')
      .split('\n\n')
      .find((part) => part.startsWith('Types: '));
    const told = Array.from((types ?? '').matchAll(/`(\w+\.\w+)`/g), ([, type]) => type);
    const known = features.flatMap(({ eventTypes = [] }) => eventTypes);
    expect(told.sort()).toEqual(known.sort());
  });
});
