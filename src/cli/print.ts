import { stripVTControlCharacters, styleText } from 'node:util';

/** Writes a line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line to standard error: for people, where standard output is read by programs. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes rows as a table, its columns aligned. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => widthOf(row[at]))));
  for (const row of [head.map((title) => styleText('bold', title)), ...rows])
    print(row.map((cell, at) => pad(cell, widths[at] ?? 0)).join('  ').trimEnd()); // prettier-ignore
}

const widthOf = (cell = ''): number => stripVTControlCharacters(cell).length;
const pad = (cell: string, width: number): string => cell + ' '.repeat(width - widthOf(cell));
