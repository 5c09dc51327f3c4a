import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { blocksOfPage, canType, typePage } from '../../support/typed-docs.js';
import { isTyped } from '../../support/typed-page.js';

const docs = resolve(import.meta.dirname, '../../../docs');
const typedElsewhere = ['guide/tour.md']; // by test/docs/readme.e2e-spec.ts
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .sort()
  .filter((name) => name.endsWith('.md') && !typedElsewhere.includes(name))
  .map((name) => join('docs', name))
  .filter((page) => blocksOfPage(page).some(isTyped));

(canType || process.env['CI'] ? describe : describe.skip)('docs, as they are typed', () => {
  it.each(pages)('%s', async (page) => {
    expect((await typePage(page)).differences).toEqual([]);
  });
});
