import { parse } from 'content-type';
import fc from 'fast-check';
import { isMediaType } from '../../../src/workflows/fields/file-value.js';

describe('6. attachments: contentType', () => {
  it.each([
    'text/plain',
    "x!#$%&'*+-.^_`|~/y",
    'text/plain;charset=utf-8',
    'multipart/mixed; boundary="a b;c=\\"d\\" \\\\"',
    'a/b;c=d; e=f ;g=""',
    `a/${'b'.repeat(253)}`,
  ])('may be %j', (text) => {
    expect(isMediaType(text)).toBe(true);
  });

  it.each([
    '',
    'text/',
    'text/plain/x',
    ' text/plain',
    'text/plain\r\nX: y',
    'text/plain;\tcharset=utf-8',
    'text/plain; charset="utf-8',
    'text/plain; charset="utf-8\\"',
    'text/plain; charset="a\r\nb"',
    'text/plain, text/html',
    'text/html;image/png',
    'text/plain; name="Jörg"',
    `a/${'b'.repeat(254)}`,
  ])('is not %j', (text) => {
    expect(isMediaType(text)).toBe(false);
  });

  it('is a text for a header, and its essence is a media type as well', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'ab/;="\\ \r\n\t\0,é') });
    const law = fc.property(texts, (text) => {
      if (!isMediaType(text)) return;
      expect(text).toMatch(/^[ -~]+$/);
      expect(isMediaType(parse(text).type)).toBe(true);
    });
    fc.assert(law);
  });
});
