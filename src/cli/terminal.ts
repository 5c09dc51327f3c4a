import { stripVTControlCharacters, styleText } from 'node:util';
import { createInterface } from 'node:readline/promises';
import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { type Paint } from '../workflows/definition/render-changes.js';
import { startOfDay } from '../common/calendar.js';

/** Prints a line to standard output. Control characters are escaped. */
export function print(line: string): void {
  process.stdout.write(`${visible(line)}\n`);
}

/** Prints a message for people. Uses standard error, because programs read standard output. */
export function tell(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

/** Escapes control characters in a document if the stream is a terminal, but not for programs. */
export function documentFor(stream: NodeJS.WriteStream, text: string): string {
  return stream.isTTY ? visible(text) : text;
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = rows.map((row) => row.map((cell) => visible(cell).replace(/[\t\r\n]/g, ' ')));
  const widths = head.map((title, at) => Math.max(title.length, ...shown.map((row) => widthOf(row[at]))));
  for (const row of [head.map((title) => visible(styled('bold', title))), ...shown])
    process.stdout.write(`${row.map((cell, at) => pad(cell, widths[at] ?? 0)).join('  ').trimEnd()}\n`); // prettier-ignore
}

const widthOf = (cell = ''): number => stripVTControlCharacters(cell).length;
const pad = (cell: string, width: number): string => cell + ' '.repeat(width - widthOf(cell));

/** Asks for confirmation. Returns true with `--yes`; throws if there is no terminal to ask on. */
export async function confirm(question: string, { yes }: { readonly yes?: true }): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(`${question} There is no terminal to confirm it: use --yes to do it.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(visible(`${question} [y/N] `))).trim());
  } finally {
    terminal.close();
  }
}

/** Returns a function that styles text for terminals. For other streams, text stays plain. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (stream.isTTY ? marked(styleText(style, visible(text), { stream })) : text);
}

/** Styles a text. Only the functions of this file can print the result. */
export function styled(style: Parameters<Paint>[0], text: string): string {
  return marked(styleText(style, visible(text)));
}

// Stands for ESC in this file's styles, because `visible` escapes every other ESC. The mark is random, so
// that no printed data contains it.
const mark = `esc-${randomUUID()}`;

const marked = (text: string): string => text.replaceAll('\x1b', mark);

// Matches characters that change the text direction, and control characters except tabs and line ends.
const hidden = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes control characters for a terminal, as in `\u001b`. Keeps those in the styles of this file. */
export function visible(text: string): string {
  return text.replace(hidden, codeOf).replaceAll(mark, '\x1b');
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Parses a time in the future: a span from now, or the beginning of a day (UTC). */
export function parseExpiry(text: string): Date {
  const expiry = startOfDay(text) ?? new Date(Date.now() + spanOf(text));
  if (!(expiry.getTime() > Date.now()))
    throw new InvalidArgumentError(
      'It must be a span such as 90d or 12h, or a day in the future such as 2099-12-31.',
    );
  return expiry;
}

function spanOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})([dh])$/.exec(text) ?? [];
  return Number(count) * (unit === 'd' ? 86_400_000 : 3_600_000);
}
