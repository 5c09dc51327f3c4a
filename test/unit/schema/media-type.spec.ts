import { parse } from 'content-type';
import fc from 'fast-check';
import { isMediaType } from '../../../src/schema/file-value.js';
import { cpuMs } from '../../support/cpu-ms.js';

describe('6. attachments: contentType', () => {
  it.each([
    'text/plain',
    'TEXT/Plain',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'image/svg+xml',
    "x!#$%&'*+-.^_`|~/y",
    'text/plain;charset=utf-8',
    'text/plain ; charset="utf-8"',
    'multipart/mixed; boundary="a b;c=\\"d\\" \\\\"',
    'a/b;c=d; e=f ;g=""',
    'a/b;',
    'a/b;; ;c=d',
    `a/${'b'.repeat(253)}`,
  ])('may be %j', (text) => {
    expect(isMediaType(text)).toBe(true);
  });

  it.each([
    '',
    'text',
    'text/',
    '/plain',
    'text/plain/x',
    'text /plain',
    ' text/plain',
    'text/plain ',
    'text/plain\n',
    'text/plain\r\nX: y',
    'text/pl\0ain',
    'text/plain;\tcharset=utf-8',
    'text/plain; charset',
    'text/plain; =utf-8',
    'text/plain; charset=',
    'text/plain; charset=utf 8',
    'text/plain; charset="utf-8',
    'text/plain; charset="utf-8\\"',
    'text/plain; charset="a\tb"',
    'text/plain; charset="a\r\nb"',
    'text/plain, text/html',
    'text/html;image/png',
    'text/pläin',
    'text/plain; name="Jörg"',
    '*',
    `a/${'b'.repeat(254)}`,
  ])('is not %j', (text) => {
    expect(isMediaType(text)).toBe(false);
  });

  it('is a text for a header, and has an essence that is a media type as well', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'ab/;="\\ \r\n\t\0,é') });
    const law = fc.property(texts, (text) => {
      if (!isMediaType(text)) return;
      expect(text).toMatch(/^[ -~]+$/);
      expect(isMediaType(parse(text).type)).toBe(true);
    });
    fc.assert(law);
  });

  it('is judged in a moment, however it tries to be ambiguous', () => {
    const judge = (): void => {
      for (const piece of ['; ', ' ;', ' ', ';', '; a=b', '; a="\\', '"', ' a=b;'])
        expect(isMediaType(`a/b${piece.repeat(84)}\u0001`.slice(-255))).toBe(false);
    };
    expect(cpuMs(judge)).toBeLessThan(500);
  });
});
