import { excerptsOf } from '../../common/wording.js';
import { type Alteration, type Change } from '../model/changed-definition.js';
import { isScalar } from './merge/diff.js';

/** Applies a style to a text, or returns the text unchanged. */
export type Paint = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

const unpainted: Paint = (_, text) => text;

/** Renders each change as a list of lines: a line for the change itself, and then its alterations. */
export function renderChanges(changes: readonly Change[], paint: Paint = unpainted): string[][] {
  const widths = [0, 1, 2].map((at) => Math.max(...changes.map((change) => cells(change)[at]?.length ?? 0)));
  return changes.map((change) => [changeLine(change, widths, paint), ...alterationLines(change, paint)]);
}

const marks = {
  add: ['+', 'green'],
  change: ['~', 'yellow'],
  rename: ['~', 'yellow'],
  remove: ['-', 'red'],
} as const;

function cells({ kind, what, name, detail = '' }: Change): string[] {
  return [kind, what, name, kind === 'rename' ? `to ${detail}` : detail];
}

function changeLine(change: Change, widths: readonly number[], paint: Paint): string {
  const [mark, style] = marks[change.kind];
  const columns = cells(change).map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return (
    `  ${paint(style, mark)} ${columns.join('  ')}`.trimEnd() + (change.relaxes ? paint('red', '  ⚠') : '')
  );
}

/**
 * Renders the alterations that the line of the change does not show, each as one line. If an old and a new
 * value do not fit on one line, renders three lines.
 */
function alterationLines({ alterations = [] }: Change, paint: Paint): string[] {
  return alterations.filter((one) => !isToldByDetail(one)).flatMap((one) => alterationLine(one, paint));
}

// Whether the line of the change already shows the alteration, as in `type from text to number`.
function isToldByDetail({ at, before, after, relaxes }: Alteration): boolean {
  return relaxes === undefined && isScalar(before) && isScalar(after) && !/[.[]/.test(at);
}

const MAX_WIDTH = 100;

function alterationLine(alteration: Alteration, paint: Paint): string[] {
  const { at, before, after, relaxes } = alteration;
  const mark = relaxes ? paint('red', '⚠') : ' ';
  const [old, now] = excerptsOf(alteration);
  const removed = paint('red', relaxes ? `- ${old} (weaker)` : `- ${old}`);
  if (after === undefined) return [`      ${mark} ${at}  ${removed}`];
  if (before === undefined) return [`      ${mark} ${at}  ${paint('green', `+ ${now}`)}`];
  if (at.length + old.length + now.length <= MAX_WIDTH)
    return [`      ${mark} ${at}  ${old} → ${now}${relaxes ? paint('red', ' (weaker)') : ''}`];
  return [
    `      ${mark} ${at}`,
    `          ${paint('red', `- ${old}`)}`,
    `          ${paint('green', `+ ${now}`)}`,
  ];
}
