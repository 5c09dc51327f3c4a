import { parse } from 'content-disposition';
import fc from 'fast-check';
import { downloadHeaders, fileTag } from '../../../src/attachments/download-headers.js';

const sha256hex = 'ab'.repeat(32);

const headersOf = (filename: string, contentType = 'image/png'): Record<string, string> =>
  downloadHeaders({ filename, contentType, size: 3, sha256hex });

const dispositionOf = (filename: string): string => headersOf(filename)['Content-Disposition'] ?? '';

/** What Node.js sends of a header, and every proxy understands. */
const visible = /^[ -~]+$/;

const names: readonly string[] = [
  'report.pdf',
  'a b.txt',
  ' ',
  '',
  '.',
  'quote".txt',
  'back\\slash',
  'a"; filename="b.exe',
  "a'b",
  "UTF-8''x",
  '%41.txt',
  '100%',
  '%22',
  'semi;colon, comma=equals',
  '*?<>|:',
  '(brackets) [and] {braces}',
  'tab\there',
  'a\r\nSet-Cookie: a=b',
  'a\nb',
  'nul\0',
  'del\x7f',
  'c1\x85\x9f',
  'r\u00e9sum\u00e9.pdf',
  '\u0152uvre',
  '\u65e5\u672c\u8a9e.txt',
  '\u0440\u0435\u0437\u044e\u043c\u0435',
  '\u05d7\u05d5\u05d6\u05d4.pdf',
  '\u202etxt.exe',
  '\u2066a\u2069',
  '\ufeffbom',
  '\u2028line\u2029',
  '\u{1f600}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.png',
  'e\u0301',
  '\uffff\ufffe\ufffd',
  '__proto__',
  'a'.repeat(255),
  '\u00e9'.repeat(127),
  '\u{1f600}'.repeat(63),
];

describe('6. attachments: the headers of a download', () => {
  it('are these', () => {
    expect(
      downloadHeaders({
        filename: 'r\u00e9sum\u00e9 "1".txt',
        contentType: 'Text/Plain; charset=x',
        size: 3,
        sha256hex,
      }),
    ).toEqual({
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': '3',
      'Content-Disposition': `attachment; filename="r?sum? \\"1\\".txt"; filename*=UTF-8''r%C3%A9sum%C3%A9%20%221%22.txt`,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'private, no-store',
      'Accept-Ranges': 'bytes',
      ETag: `"${sha256hex}"`,
    });
    expect(fileTag(sha256hex)).toBe(`"${sha256hex}"`);
  });

  it.each([
    ['image/png', 'image/png'],
    ['IMAGE/JPEG', 'image/jpeg'],
    ['image/gif ; a=b', 'image/gif'],
    ['image/webp;', 'image/webp'],
    ['application/pdf', 'application/pdf'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/plain; charset=utf-7', 'text/plain; charset=utf-8'],
  ])('tell of %j only %j', (contentType, sent) => {
    expect(headersOf('a', contentType)['Content-Type']).toBe(sent);
  });

  it.each([
    'text/html',
    'text/html;image/png',
    'image/png, text/html',
    'image/png/text/html',
    'image/pngx',
    'ximage/png',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/javascript',
    'multipart/x-mixed-replace',
    'application/x-shockwave-flash',
    '',
    ';image/png',
    'image/png\r\nX: y',
    'image/png\0',
    '\u0130mage/png',
    'x'.repeat(300),
    '__proto__',
    'constructor',
  ])('tell of %j that it is bytes', (contentType) => {
    for (const name of ['a.html', 'a.svg', 'a.png', 'a'])
      expect(headersOf(name, contentType)['Content-Type']).toBe('application/octet-stream');
  });

  it.each(names)('carry the name %j', (name) => {
    const header = dispositionOf(name);
    expect(header).toMatch(visible);
    expect(header).toMatch(/^attachment; filename=/);
    expect(parse(header)).toEqual(expect.objectContaining({ type: 'attachment' }));
    expect(parse(header).parameters['filename']).toBe(name);
  });

  it('carry every name of at most 255 bytes', () => {
    const law = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
      const header = dispositionOf(name);
      expect(header).toMatch(visible);
      expect(parse(header).parameters['filename']).toBe(name);
    });
    fc.assert(law);
  });

  it('are valid and short whatever the name and the type', () => {
    const units = fc.constantFrom(
      '\ud800',
      '\udc00',
      '\u{1f600}',
      '"',
      '\\',
      '\r',
      '\n',
      '\0',
      '\x80',
      '%4',
      ';',
      'a',
    );
    const texts = fc.oneof(
      fc.string({ unit: units, maxLength: 6_000, size: 'max' }),
      fc.string({ unit: 'binary' }),
    );
    const law = fc.property(texts, texts, (name, contentType) => {
      const headers = headersOf(name, contentType);
      for (const value of Object.values(headers)) expect(value).toMatch(visible);
      expect(dispositionOf(name).length).toBeLessThan(3_000);
    });
    fc.assert(law);
  });
});
