import fc from 'fast-check';
import { mention } from '../../../src/comments/mentions.js';
import { format } from '../../../src/console/parts/markdown.js';

const found = (text: string): string[] => Array.from(text.matchAll(mention), ([, address = '']) => address);
const names = new Map([['ines@acme.test', 'Ines <b>']]);
const htmlOf = async (text: string): Promise<string> =>
  (await format([text], () => Promise.resolve(), names)).get(text) ?? '';

describe('a mention', () => {
  it('is an @ with an address; an address in a text is no mention', () => {
    expect(found('@ines@acme.test')).toEqual(['ines@acme.test']);
    expect(found('(@ines@acme.test), or @o.k+1@acme.test.')).toEqual(['ines@acme.test', 'o.k+1@acme.test']);
    expect(found('ines@acme.test x@ines@acme.test @ines @ ines@acme.test @@acme.test')).toEqual([]);
    expect(found('@müller@acme.test @ines@bücher.test')).toEqual(['müller@acme.test', 'ines@bücher.test']);
  });

  it('is found in any text in little time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (text) => found(text).length >= 0),
    );
    expect(found(`${'@a'.repeat(5000)} @ines@acme.test`)).toEqual(['ines@acme.test']);
    expect(found('@'.repeat(10_000))).toEqual([]);
  });

  it('is shown as the name of its user, which is not read as markup', async () => {
    expect(await htmlOf('Well, @Ines@acme.test!')).toBe(
      '<p>Well, <strong class="mention">@Ines &lt;b&gt;</strong>!</p>',
    );
    expect(await htmlOf('`@ines@acme.test`')).toBe('<p><code>@ines@acme.test</code></p>');
    expect(await htmlOf('x@ines@acme.test @theo@acme.test')).not.toContain('mention');
  });
});
