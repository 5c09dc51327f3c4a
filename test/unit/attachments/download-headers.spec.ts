import { parse } from 'content-disposition';
import fc from 'fast-check';
import { downloadHeaders } from '../../../src/attachments/files.controller.js';

const sha256hex = 'ab'.repeat(32);

const headersOf = (filename: string, contentType = 'image/png'): Record<string, string> =>
  downloadHeaders({ filename, contentType, size: 3, sha256hex });

const dispositionOf = (filename: string): string => headersOf(filename)['Content-Disposition'] ?? '';

/** What Node.js sends of a header, and every proxy understands. */
const visible = /^[ -~]+$/;

describe('6. attachments: the headers of a download', () => {
  it.each([
    'text/html;image/png',
    'image/png, text/html',
    'image/png/text/html',
    'image/pngx',
    'image/svg+xml',
    'multipart/x-mixed-replace',
    '',
    ';image/png',
    'image/png\r\nX: y',
    '\u0130mage/png',
    '__proto__',
  ])('tell of %j that it is bytes', (contentType) => {
    for (const name of ['a.html', 'a.svg', 'a.png', 'a'])
      expect(headersOf(name, contentType)['Content-Type']).toBe('application/octet-stream');
  });

  it('carry every name of at most 255 bytes', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...'"\\;,%=\r\n\0\x85'),
    );
    const law = fc.property(fc.string({ unit, maxLength: 60 }), (name) => {
      const header = dispositionOf(name);
      expect(header).toMatch(/^attachment; filename=[ -~]+$/);
      expect(parse(header).parameters['filename']).toBe(name);
    });
    fc.assert(law);
  });

  it('are valid and short whatever the name and the type', () => {
    const units = fc.constantFrom(...'"\\\r\n\0\x80;a\u{1f600}', '\ud800', '\udc00', '%4');
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
