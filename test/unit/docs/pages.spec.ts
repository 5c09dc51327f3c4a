import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { blocksOf } from '../../support/typed-page.js';

const root = resolve(import.meta.dirname, '../../..');
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

describe('the pages', () => {
  it('link to files and headings that are there', () => {
    const links = pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(({ 1: link = '' }) => ({ page, link })),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(links.map(({ page, link }) => fault(page, link)).filter(Boolean)).toEqual([]);
  });

  it('say of each block what it is, so that commands are typed by a test', () => {
    const typed = pages.filter((page) => page === 'README.md' || page.startsWith('docs'));
    const bare = typed.filter((page) => blocksOf(read(page)).some(({ language }) => language === ''));
    expect(bare).toEqual([]);
  });

  it('are named right elsewhere', () => {
    const others = [...filesIn('src'), ...filesIn('test'), ...filesIn('docs'), ...readdirSync(root)].filter(
      (file) => /\.(ts|mjs|json|md|yml|yaml)$/.test(file) && file !== 'CHANGELOG.md',
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
