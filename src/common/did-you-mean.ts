import { english, type Message, say } from './message.js';

/** A suggestion of the name that was probably meant, or an empty text. Names are compared without the prefix. */
export function suggested(name: string, known: Iterable<string>, prefix = ''): Message {
  const bare = (each: string): string => (each.startsWith(prefix) ? each.slice(prefix.length) : each);
  return suggestion(nearest(bare(name), known, bare));
}

/** The suggestion in English, for messages that are not translated. */
export const didYouMean = (name: string, known: Iterable<string>, prefix = ''): string =>
  english(suggested(name, known, prefix));

/** The form of a suggestion at the end of a message. */
export const suggestion = (meant: string | undefined): Message =>
  meant === undefined ? '' : say`; did you mean ${meant}?`;

/** The form of a suggestion within a sentence or a list. */
export function meantInBrackets(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

// Nobody types a longer name by hand.
const MAX_LENGTH = 100;

// Comparing more would take long, and one of many is hardly the one that was meant.
const MAX_KNOWN = 2000;

/** The name with the smallest distance, at most a third of its letters, ignoring case; `bare` strips known names. */
export function nearest(
  name: string,
  known: Iterable<string>,
  bare = (name: string): string => name,
): string | undefined {
  const most = name.length / 3;
  if (name.length > MAX_LENGTH) return undefined;
  const near = [...known]
    .filter((each) => Math.abs(bare(each).length - name.length) <= most)
    .slice(0, MAX_KNOWN)
    .map((each) => ({ each, distance: distanceBetween(name.toLowerCase(), bare(each).toLowerCase()) }));
  const [best] = near.sort((one, other) => one.distance - other.distance);
  return best && best.distance <= most ? best.each : undefined;
}

/** The number of letters to add, drop, replace or swap with the next (optimal string alignment). */
function distanceBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 0; line < one.length; line += 1) {
    const next = [line + 1];
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + (one[line] === other[at] ? 0 : 1);
      const isExchange = at > 0 && one[line] === other[at - 1] && one[line - 1] === other[at];
      const exchanged = isExchange ? (before[at - 1] ?? Infinity) + 1 : Infinity;
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, replaced, exchanged));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
