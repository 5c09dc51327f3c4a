import fc from 'fast-check';
import { guardCell, unguardCell } from '../../../../src/tasks/list/export-tasks.js';

// Rule: in a CSV download a text that begins with =, +, -, @, a tab or a line break has an apostrophe before it, for
// spreadsheets run such texts as formulas. Import takes it away again.

describe('cells of a CSV download', () => {
  it.each([
    ['=HYPERLINK("http://evil.example";"Invoice")', `'=HYPERLINK("http://evil.example";"Invoice")`],
    ['+49 30 901820', `'+49 30 901820`],
    ['-2+3+cmd|calc', `'-2+3+cmd|calc`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t=1`],
    ['\r=1', `'\r=1`],
    [`'=1`, `''=1`],
  ])('%j becomes %j', (text, cell) => {
    expect(guardCell(text)).toBe(cell);
    expect(unguardCell(cell)).toBe(text);
  });

  it.each(['', '-12.50', '-7', '12', 'a=b', `'tis`, `''`, 'ada@example.com'])('%j stays the same', (text) => {
    expect(guardCell(text)).toBe(text);
    expect(unguardCell(text)).toBe(text);
  });

  it('are read back as they were, whatever they hold', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...`'=+-@\t\r\n1.`), fc.string({ maxLength: 1 })),
    });
    fc.assert(fc.property(text, (given) => unguardCell(guardCell(given)) === given));
  });
});
