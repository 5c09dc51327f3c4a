import fc from 'fast-check';
import { workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { clientOf, close, open, service, tasks, uniqueId, walk } from './lists.js';

describe('4.1 pages sorted by texts that begin alike', () => {
  beforeAll(open);
  afterAll(close);

  const full = 'A'.repeat(200);
  /** Around the length that texts are sorted by, in characters and in units of UTF-16. */
  const texts = [full.slice(1), full, `${full}B`, `${full}C`, `${full}BB`, '😀'.repeat(200), `${'😀'.repeat(200)}x`, 'A', 'B']; // prettier-ignore

  it.each(['', ', index: true'])(
    'have every task once, in the order of the whole list (field%s)',
    async (index) => {
      const workspace = index === '' ? 'plain' : 'indexed';
      const api = await clientOf(
        workspace,
        workflowOf([uniqueId, `name: Line, type: longText${index}`], workspace),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...texts, null), { minLength: 2, maxLength: 9 }),
          fc.integer({ min: 1, max: 3 }),
          async (lines, limit) => {
            await fillWith(api, workspace, lines);
            for (const sort of ['Line', '-Line']) {
              const pages = await walk(api, { _sort: sort, _limit: String(limit) }, tasks);
              expect(pages.flat().map(({ ID }) => ID)).toEqual(sorted(lines, sort));
            }
          },
        ),
        {
          numRuns: 25,
          examples: [
            [[`${full}B`, full, full], 1],
            [[`${full}B`, full, `${full}B`, full], 1],
          ],
          endOnFailure: true,
        },
      );
    },
  );

  /** Has the workflow hold just these, in this order of creation. */
  async function fillWith(api: Client, workspace: string, lines: readonly (string | null)[]): Promise<void> {
    await service.dataSource.query(
      'DELETE FROM tasks t USING workspaces w WHERE w.slug = $1 AND t.workspace_id = w.id',
      [workspace],
    );
    for (const [at, Line] of lines.entries()) await api.post(tasks, { ID: `${at}`, Line }).expect(201);
  }
});

/** The ids in the order that docs promise: by the first 200 characters, blanks last, ties in the order of creation. */
function sorted(lines: readonly (string | null)[], sort: string): string[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const compare = (one: string | null, other: string | null): number => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const [start, otherStart] = [one, other].map((text) => Buffer.from([...text].slice(0, 200).join('')));
    return sign * Buffer.compare(start ?? Buffer.of(), otherStart ?? Buffer.of());
  };
  return lines
    .map((line, at) => ({ line, id: String(at) }))
    .sort((one, other) => compare(one.line, other.line) || Number(one.id) - Number(other.id))
    .map(({ id }) => id);
}
