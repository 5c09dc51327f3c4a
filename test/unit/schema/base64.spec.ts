import fc from 'fast-check';
import { base64Length, decodeBase64 } from '../../../src/workflows/fields/file-value.js';

async function decode(text: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of decodeBase64(text)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const unpadded = (text: string): string => text.replaceAll('=', '');

describe('6. attachments: base64contents', () => {
  it('decodes every file, with and without padding', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), async (array) => {
        const bytes = Buffer.from(array);
        const text = bytes.toString('base64');
        for (const spelling of [text, unpadded(text)]) {
          expect(base64Length(spelling)).toBe(bytes.length);
          expect((await decode(spelling)).equals(bytes)).toBe(true);
        }
      }),
    );
  });

  it('decodes a file that is longer than a piece', async () => {
    for (const length of [98_303, 98_304, 98_305, 300_000]) {
      const bytes = Buffer.alloc(length, 'any bytes \0\xff', 'latin1');
      const text = bytes.toString('base64');
      expect(base64Length(text)).toBe(length);
      expect((await decode(unpadded(text))).equals(bytes)).toBe(true);
    }
  });

  it('refuses what Node.js would decode but would not write', () => {
    const characters = fc.constantFrom(...'AQgwBZz09+/=-_ \n\u0141\u{1f600}');
    const texts = fc.oneof(
      fc.string({ unit: characters, maxLength: 12 }),
      fc.base64String().map((text) => text.slice(0, -1)),
      fc.string({ unit: 'binary' }),
    );
    const law = fc.property(texts, (text) => {
      const canonical = Buffer.from(text, 'base64').toString('base64');
      const isCanonical = text === canonical || text === unpadded(canonical);
      expect(base64Length(text)).toBe(isCanonical ? Buffer.from(text, 'base64').length : undefined);
    });
    fc.assert(law);
  });

  it('lets other work run while it decodes', async () => {
    let turns = 0;
    let others = setImmediate(function next() {
      turns += 1;
      others = setImmediate(next);
    });
    await decode('QUJD'.repeat(5_000_000));
    clearImmediate(others);
    expect(turns).toBeGreaterThan(100);
  });
});
