import { stripVTControlCharacters } from 'node:util';
import { styled, visible } from './paint.js';

/** Writes a line to standard output; a control character of what it tells is shown, never sent. */
export function print(line: string): void {
  process.stdout.write(`${visible(line)}\n`);
}

/** The same to standard error: for people, where standard output is read by programs. */
export function say(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

/** A document for programs, unchanged; only a terminal is shown no control characters. */
export function documentFor(stream: NodeJS.WriteStream, text: string): string {
  return stream.isTTY ? visible(text) : text;
}

/** Writes rows as a table, its columns aligned. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = rows.map((row) => row.map((cell) => visible(cell).replace(/[\t\r\n]/g, ' ')));
  const widths = head.map((title, at) => Math.max(title.length, ...shown.map((row) => widthOf(row[at]))));
  for (const row of [head.map((title) => visible(styled('bold', title))), ...shown])
    process.stdout.write(`${row.map((cell, at) => pad(cell, widths[at] ?? 0)).join('  ').trimEnd()}\n`); // prettier-ignore
}

const widthOf = (cell = ''): number => stripVTControlCharacters(cell).length;
const pad = (cell: string, width: number): string => cell + ' '.repeat(width - widthOf(cell));
