import fc from 'fast-check';
import { type Line, readLines, tooLong } from '../../../src/common/ndjson.js';

async function* piecesOf(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const length of lengths) {
    await Promise.resolve();
    yield bytes.subarray(from, from + length);
    from += length;
  }
  yield bytes.subarray(from);
}

const shown = (line: Line): string => (line === tooLong ? 'too long' : Buffer.from(line).toString());

describe('lines of a body', () => {
  it('are the same wherever the bytes are cut, and blank lines are skipped', async () => {
    const line = fc.constantFrom('', ' ', '\r', 'a', '{"b":1}', 'ü€', 'x'.repeat(20), 'x'.repeat(21));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.integer({ min: 0, max: 9 })), async (texts, lengths) => {
        const lines: string[] = [];
        for await (const some of readLines(piecesOf(Buffer.from(texts.join('\n')), lengths), 20))
          lines.push(...some.map(shown));
        const expected = texts.filter((text) => text.trim() !== '');
        expect(lines).toEqual(expected.map((text) => (Buffer.byteLength(text) > 20 ? 'too long' : text)));
      }),
    );
  });
});
