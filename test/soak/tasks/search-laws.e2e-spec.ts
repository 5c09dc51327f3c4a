import fc from 'fast-check';
import { separators } from '../../../src/schema/list-query.js';
import { workflowOf } from '../../support/definitions.js';
import { clientOf, close, idsOf, open, service, tasks, uniqueId } from '../../tasks/lists.js';

// The texts follow from this number: put the one that a failure names here to see them again.
const seed = Date.now() % 2 ** 31;
const fields = [uniqueId, 'name: Title, type: text', 'name: Notes, type: longText'];
const searched = (workspace: string): string =>
  workflowOf(fields, workspace).replace('name: Things', '$&\n    search: true');

describe('4.1 `_search` in workflows with `search: true`', () => {
  beforeAll(open);
  afterAll(close);

  it('finds what a search in memory finds, whatever texts hold', async () => {
    const api = await clientOf('any', searched('any'));
    const texts = fc.sample(anyText, { numRuns: 250, seed });
    await writeAll('any', texts.map((Title, n) => ({ ID: `t${n}`, Title }))); // prettier-ignore
    const held = texts.map((text, n) => [`T${n}`, ...wordsIn(text)]);
    for (const text of fc.sample(anyQuery(texts), { numRuns: 80, seed })) {
      const words = wordsIn(text);
      const expected = held.flatMap((own, n) => (words.every((word) => own.some((one) => one.startsWith(word))) ? [`t${n}`] : [])); // prettier-ignore
      expect([seed, text, await idsOf(api, { _search: text })]).toEqual([seed, text, expected]);
    }
  });
});

function wordsIn(text: string): string[] {
  return text.normalize('NFC').toUpperCase().split(separators).filter((word) => word !== ''); // prettier-ignore
}

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('desk', 'Desks', 'DE', 'Straße', 'STRASSE', 'straſse', 'été', 'e\u0301te\u0301', 'Été', 'ﬁn', 'fin', 'İzmir', 'ızgara', 'ΣΊΣΥΦΟΣ', 'σίσυφος', 'привет', 'हिन्दी', '東京', 'مرحبا', '12', '1,200.50', '-12', '007', 'a_b', 'a-b', 'mina@acme.test', 'https://x.test/a?b=c#d', 'it’s', "it's", '“q”', '€5', '5€', '→', '😀', '❤️', 'a\u00adb', '\uffff', "';--", '\\', ':*', '&', '!a', '(b)', '12:DE'), // prettier-ignore
      fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
      fc.string({ unit: fc.integer({ min: 0xa0, max: 0x24ff }).map((code) => String.fromCodePoint(code)), maxLength: 8 }), // prettier-ignore
    ),
    { maxLength: 8 },
  )
  .chain((parts) => fc.constantFrom(' ', '  ', ', ', '\t', '/').map((between) => parts.join(between)))
  .filter((text) => !/(?!\t)\p{Control}/u.test(text));

/** The beginnings of words that some text holds, or of none. */
function anyQuery(texts: readonly string[]): fc.Arbitrary<string> {
  const words = [...new Set(texts.flatMap((text) => text.split(' ')))];
  const part = fc
    .tuple(fc.constantFrom(...words), fc.integer({ min: 1, max: 12 }))
    .map(([word, length]) => Array.from(word).slice(0, length).join(''));
  return fc
    .array(part, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(' '))
    .filter((text) => wordsIn(text).length > 0 && wordsIn(text).length <= 10);
}

/** Writes tasks by one batch. */
async function writeAll(workspace: string, all: readonly object[]): Promise<void> {
  const answer = await fetch(`${service.url}${tasks}/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await service.key(workspace)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(all),
  });
  expect((await answer.text()).match(/"(?:updated|created)"/g)).toHaveLength(all.length);
}
