import { checkFilename } from '../../../src/workflows/fields/file-value.js';
import { Invalid } from '../../../src/workflows/fields/invalid.js';

const names = [
  '...',
  'O\'Neil "final" 100%.txt',
  'C:x',
  'r\u00e9sum\u00e9 \u65e5\u672c\u8a9e \u{1f600}.txt',
  '\u202etxt.exe',
  '__proto__',
  'a'.repeat(255),
  '\u00e9'.repeat(127),
];

const refused: readonly (readonly [string, string])[] = [
  ['', 'is empty'],
  [' \u200b', 'is empty'],
  ['.', 'is a path, not a name'],
  ['..', 'is a path, not a name'],
  ['a/b', 'is a path, not a name'],
  ['C:\\fakepath\\a.txt', 'is a path, not a name'],
  ['a\0.txt', 'contains a control character'],
  ['a\r\nSet-Cookie: b', 'contains a control character'],
  ['a\x85', 'contains a control character'],
  ['a\ud800', 'contains a character that cannot be stored'],
  ['a'.repeat(256), 'is longer than 255 bytes'],
  ['\u00e9'.repeat(128), 'is longer than 255 bytes'],
];

describe('6. attachments: filename', () => {
  it.each(names)('may be %j', (name) => {
    expect(checkFilename(name)).toBe(name);
  });

  it.each(refused)('%j %s', (name, message) => {
    expect(checkFilename(name)).toEqual(new Invalid(message));
  });

  it('is kept in composed characters', () => {
    expect(checkFilename('re\u0301sume\u0301')).toBe('r\u00e9sum\u00e9');
  });
});
