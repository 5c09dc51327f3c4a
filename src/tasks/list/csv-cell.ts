// Texts that spreadsheets run as formulas (OWASP, "CSV Injection"), also behind apostrophes.
const formula = /^'*[=+\-@\t\r\n]/;
const guarded = /^'+[=+\-@\t\r\n]/;
const number = /^-\d+(?:\.\d+)?$/;

/** Puts an apostrophe in front of a text that a spreadsheet would run as a formula. Numbers stay numbers. */
export function guardCell(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** The text that `guardCell` was given. */
export function unguardCell(cell: string): string {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
