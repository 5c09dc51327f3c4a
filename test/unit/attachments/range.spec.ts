import fc from 'fast-check';
import { type ByteRange, parseRange } from '../../../src/attachments/download-headers.js';

const rangeOf = (range: string | undefined, size = 10): ByteRange | 'whole' | 'none' =>
  parseRange({ range }, size, '"e"');

describe('6. attachments: Range', () => {
  it.each<[string | undefined, ByteRange | 'whole' | 'none']>([
    [undefined, 'whole'],
    ['Bytes= 5-7 ', { start: 5, end: 7 }],
    [`bytes=5-${'9'.repeat(400)}`, { start: 5, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    [`bytes=${'9'.repeat(400)}-`, 'none'],
    ['bytes=0-1,', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=1.5-2', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['', 'whole'],
  ])('%j of 10 bytes is %j', (range, wanted) => {
    expect(rangeOf(range)).toEqual(wanted);
  });

  it('of an empty file is none', () => {
    expect(rangeOf('bytes=0-', 0)).toBe('none');
    expect(rangeOf('bytes=0-0', 0)).toBe('none');
    expect(rangeOf('bytes=-5', 0)).toBe('none');
    expect(rangeOf(undefined, 0)).toBe('whole');
  });

  it('lies in the file, whatever is asked', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(30), fc.nat(30)).map(([first, last]) => `bytes=${first}-${last}`),
      fc.string({ unit: fc.constantFrom(...'0123456789-, ') }).map((text) => `bytes=${text}`),
    );
    const law = fc.property(texts, fc.nat(25), (text, size) => {
      const range = rangeOf(text, size);
      if (typeof range === 'string') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThanOrEqual(range.start);
      expect(range.end).toBeLessThan(size);
    });
    fc.assert(law);
  });
});
