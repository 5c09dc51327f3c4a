// What spreadsheets run as a formula (OWASP, "CSV Injection"), whatever apostrophes stand before it already.
const formula = /^'*[=+\-@\t\r\n]/;
const guarded = /^'+[=+\-@\t\r\n]/;
const number = /^-\d+(?:\.\d+)?$/;

/** A text that no spreadsheet takes for a formula: an apostrophe stands before what looks like one. A number stays one. */
export function guardCell(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** The text that `guardCell` was given. */
export function unguardCell(cell: string): string {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
