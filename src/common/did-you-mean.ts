import { hinted, type Message, english, say } from './message.js';

/** Suggests the known name nearest to `name`, or returns an empty text. Compares names without `prefix`. */
export function suggested(name: string, known: Iterable<string>, prefix = ''): Message {
  const bare = (each: string): string => (each.startsWith(prefix) ? each.slice(prefix.length) : each);
  return suggestion(nearest(bare(name), known, bare));
}

/** Like `suggested`, but in English, for messages that are not translated. */
export const didYouMean = (name: string, known: Iterable<string>, prefix = ''): string =>
  english(suggested(name, known, prefix));

/** Formats a suggestion for the end of a message. */
export const suggestion = (meant: string | undefined): Message =>
  meant === undefined ? '' : say`; did you mean ${meant}?`;

/** Formats a suggestion for the middle of a sentence or a list. */
export function meantInBrackets(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

// People do not type longer names.
const MAX_LENGTH = 100;

// More comparisons would take long, and a match among thousands of names is rarely right.
const MAX_KNOWN = 2000;

/**
 * Finds the known name with the smallest edit distance, ignoring case. Undefined if the distance is more than
 * a third of the length of `name`. `bare` removes the prefix from a known name before the comparison.
 */
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

/** The fewest edits between two names. An edit adds, removes or replaces a letter, or swaps neighbours. */
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

interface Known {
  keys(): Iterable<string>;
}

/** Suggests the known name that differs from this name only in case or punctuation. */
export function nameMeant(name: string, known: Known): Message {
  const meant = name.length > MAX_LENGTH ? undefined : tableOf(known).get(bare(name));
  return suggestion(meant);
}

/**
 * Like `nameMeant`. If `nameMeant` finds no name, suggests the nearest name, as `suggested` does. Skips this
 * second search if the name is long, or if more than 100 names are known.
 */
export function nearNameMeant(name: string, known: Known, prefix = ''): Message {
  const meant = nameMeant(name, known);
  if (meant !== '' || name.length > 30 || tableOf(known).size > 100) return meant;
  return suggested(name, known.keys(), prefix);
}

/** Suggests the query parameter whose name is almost `name`, or the one that other APIs call `name`. */
export function parameterMeant(name: string, known: Known): Message {
  const own = nameMeant(name, known);
  const theirs = bare(name);
  const isHere = (one: string): boolean => tableOf(known).get(bare(one)) === one;
  const [ours] = elsewhere.find(([one, others]) => others.includes(theirs) && isHere(one)) ?? [];
  if (own !== '' || ours === undefined) return own;
  return hinted(suggestion(ours), ours === '_after' ? ' The header Link has the next page' : '');
}

/** Suggests the key whose name is almost `name`, or the key that other APIs call `name`. */
export function keyMeant(name: string, known: Known): Message {
  return parameterMeant(name, known) || nearNameMeant(name, known);
}

/** Parameters and keys of this API, each with its names in other APIs. */
const elsewhere: readonly (readonly [string, readonly string[]])[] = [
  ['_after', ['offset', 'skip', 'start', 'page', 'pagenumber', 'cursor', 'pagetoken', 'startingafter']],
  ['_limit', ['size', 'pagesize', 'perpage', 'top', 'take', 'first', 'max', 'maxresults']],
  ['_sort', ['order', 'orderby', 'sortby', 'ordering']],
  ['_fields', ['select', 'only', 'attributes', 'columns']],
  ['task_id', ['task', 'uniqueid', 'id']],
  ['action_id', ['action']],
  [
    'performed_by',
    ['performer', 'as', 'user', 'userid', 'email', 'actor', 'by', 'onbehalfof', 'sub', 'author', 'assignee'],
  ],
  ['fields', ['values', 'inputs', 'data', 'set']],
  ['body', ['text', 'comment', 'message', 'content']],
  ['_search', ['q', 'query', 'search', 'keyword', 'keywords', 'text', 'fulltext']],
  ['_count', ['total', 'totalcount', 'withcount', 'includetotal']],
];

const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const tables = new WeakMap<object, ReadonlyMap<string, string>>();

/** Maps each name without case and punctuation to the name itself. Cached, because mistakes are frequent. */
function tableOf(known: Known): ReadonlyMap<string, string> {
  const made = tables.get(known);
  if (made) return made;
  const table = new Map<string, string>();
  for (const name of known.keys()) if (!table.has(bare(name))) table.set(bare(name), name);
  table.delete('');
  tables.set(known, table);
  return table;
}
