import fc from 'fast-check';
import { bareName, filenameOf } from '../download.js';

const nowhere = new URL('https://files.test/');
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

describe('6 the filename of a download', () => {
  it.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    [`attachment; filename="x.txt"; filename*=UTF-8''%E2%82%AC.txt`, '€.txt'],
    [`attachment; filename*=UTF-8''%E2%82%AC.txt; filename="x.txt"`, '€.txt'],
    [`attachment; filename*=ISO-8859-1''%E4.txt`, 'ä.txt'],
    ['inline; filename="a \\"b\\".txt"', 'a "b".txt'],
    [latin1('attachment; filename="Prüfung.txt"'), 'Prüfung.txt'],
    ['attachment; filename="Pr\xfcfung.txt"', 'Prüfung.txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    [String.raw`attachment; filename="C:\\temp\\a.txt"`, 'a.txt'],
    [`attachment; filename*=UTF-8''..%2F..%2Fa%00b%0D%0A.txt`, 'ab.txt'],
  ])('is the one of Content-Disposition: %s', (header, name) => {
    expect(filenameOf(header, nowhere)).toBe(name);
  });

  it.each([
    undefined,
    '',
    'attachment',
    'attachment; filename=""',
    'attachment; filename=".."',
    `attachment; filename*=UTF-8''%FF%FE`,
    `attachment; filename*=klingon''x`,
    'attachment; filename="dir/"',
    ';;;=;"',
  ])('else it is how the URL ends: %j', (header) => {
    expect(filenameOf(header, new URL('https://files.test/a/b%20%E2%82%AC.txt?c=/d.txt#e/f'))).toBe(
      'b €.txt',
    );
  });

  it.each([
    ['/100%', '100%'],
    ['/%E4.txt', '%E4.txt'],
    ['/a%2Fb%5Cc.txt', 'c.txt'],
    ['/folder/', undefined],
    ['/', undefined],
    ['/%2e%2e%2f', undefined],
    ['/%2F..', undefined],
  ])('tolerates %s', (path, name) => {
    expect(filenameOf(undefined, new URL(`https://files.test${path}`))).toBe(name);
  });

  it('is cut to 255 bytes between characters', () => {
    expect(bareName('€'.repeat(100))).toBe('€'.repeat(85));
    expect(bareName(`a${'😀'.repeat(100)}`)).toBe(`a${'😀'.repeat(63)}`);
  });

  it('is always a bare name', () => {
    const text = fc.string({ unit: fc.oneof(fc.string(), fc.constantFrom(...'/\\.\0\r\n \ud800\udc00€"')) });
    fc.assert(
      fc.property(text, text, (header, segment) => {
        const name = filenameOf(header, new URL(nowhere.href + encodeURI(segment.toWellFormed()))) ?? 'none';
        expect(name).toMatch(/^[^/\\\p{Cc}]+$/u);
        expect(name.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(['.', '..']).not.toContain(name);
      }),
    );
  });
});
