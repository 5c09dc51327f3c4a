import { styled, visible } from '../../../src/cli/terminal.js';

// Rule: wts prints no control character of data, and nothing that turns the direction of a text; it shows what they are.

it.each([
  ['\u001b[2J\u001b]0;title\u0007', '\\u001b[2J\\u001b]0;title\\u0007'],
  ['paid\rrefused', 'paid\\u000drefused'],
  ['\u009b31m', '\\u009b31m'],
  ['invoice\u202efdp.exe', 'invoice\\u202efdp.exe'],
  ['two\nlines\r\nand\ta tab', 'two\nlines\r\nand\ta tab'],
  ['häßlich 漢字 👩‍👩‍👧', 'häßlich 漢字 👩‍👩‍👧'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

it('our own styles are kept, and styles in data are not', () => {
  const shown = visible(styled('red', 'a\u001b[0mb'));
  expect(shown).toContain('a\\u001b[0mb');
  expect(shown).not.toContain('a\u001b');
});
