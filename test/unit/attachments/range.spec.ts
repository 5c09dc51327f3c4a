import fc from 'fast-check';
import { type ByteRange, parseRange, rangeHeaders } from '../../../src/attachments/download-headers.js';

const etag = '"e"';
const rangeOf = (range: string | undefined, size = 10): ByteRange | 'whole' | 'none' =>
  parseRange({ range }, size, etag);

describe('6. attachments: Range', () => {
  it.each<[string | undefined, ByteRange | 'whole' | 'none']>([
    [undefined, 'whole'],
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=5-7', { start: 5, end: 7 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=5-99', { start: 5, end: 9 }],
    [`bytes=5-${'9'.repeat(400)}`, { start: 5, end: 9 }],
    ['bytes=-1', { start: 9, end: 9 }],
    ['bytes=-10', { start: 0, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    ['Bytes=0-0', { start: 0, end: 0 }],
    ['bytes= 0-0 ', { start: 0, end: 0 }],
    ['bytes=10-', 'none'],
    ['bytes=10-20', 'none'],
    [`bytes=${'9'.repeat(400)}-`, 'none'],
    ['bytes=-0', 'none'],
    ['bytes=7-5', 'whole'],
    ['bytes=20-10', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['bytes=0-1,', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=', 'whole'],
    ['bytes', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1.5-2', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['bytes=--1', 'whole'],
    ['bytes=1 - 2', 'whole'],
    ['lines=0-1', 'whole'],
    ['0-1', 'whole'],
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

  it.each([
    [etag, { start: 0, end: 0 }],
    ['"other"', 'whole'],
    ['W/"e"', 'whole'],
    ['Sat, 29 Oct 1994 19:43:31 GMT', 'whole'],
    ['', 'whole'],
    [[etag, etag], 'whole'],
  ])('with If-Range %j is %j', (condition, wanted) => {
    expect(parseRange({ range: 'bytes=0-0', 'if-range': condition }, 10, etag)).toEqual(wanted);
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

  it('is answered by Content-Range', () => {
    expect(rangeHeaders({ start: 5, end: 9 }, 10)).toEqual({
      'Content-Range': 'bytes 5-9/10',
      'Content-Length': '5',
    });
    expect(rangeHeaders('none', 10)).toEqual({ 'Content-Range': 'bytes */10' });
  });
});
