import fc from 'fast-check';
import { gather } from '../../../src/lib/streams.js';
import { type Line, readLines, tooLong } from '../../../src/lib/ndjson.js';

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
  it('are the same wherever the bytes are cut, and blank ones are none', async () => {
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

describe('what is gathered while its consumer is at work', () => {
  it('is everything, in order, and not more ahead than may wait', async () => {
    const given = { count: 0 };
    const source = async function* (): AsyncGenerator<number[]> {
      for (; given.count < 100; given.count += 1) {
        await Promise.resolve();
        yield [given.count];
      }
    };
    const taken: number[] = [];
    for await (const numbers of gather(source(), 10, () => 1)) {
      taken.push(...numbers);
      await new Promise((resolve) => setImmediate(resolve));
      expect(given.count - taken.length).toBeLessThanOrEqual(11);
    }
    expect(taken).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('fails as its source does, after what came before', async () => {
    const source = async function* (): AsyncGenerator<number[]> {
      yield [1];
      await Promise.reject(new Error('torn'));
    };
    const taken: number[] = [];
    const taking = async (): Promise<void> => {
      for await (const numbers of gather(source(), 10, () => 1)) taken.push(...numbers);
    };
    await expect(taking()).rejects.toThrow('torn');
    expect(taken).toEqual([1]);
  });
});
