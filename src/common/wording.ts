const MAX_SHOWN = 100;

/** Cuts a client's text at 100 characters, so that an error can quote the text. */
export function excerpt(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN).toWellFormed()}…` : name;
}

/** A name that a client chose, as code in a sentence: its first 100 characters in backquotes. */
export function code(name: string): string {
  return `\`${excerpt(name)}\``;
}

/** A name that a client chose, in quotes and cut at 100 characters. */
export function quote(name: string): string {
  return name.length > MAX_SHOWN ? `${JSON.stringify(name.slice(0, MAX_SHOWN))}…` : JSON.stringify(name);
}

const MAX_LISTED = 20;

/** Names for an error: the first 20 and the number of the rest. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  const first = all.slice(0, MAX_LISTED).map(excerpt).join(', ');
  return all.length > MAX_LISTED ? `${first} and ${all.length - MAX_LISTED} more` : first;
}

/** Returns a count with its noun: `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The verb form that agrees with the count. */
export function agree(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** Excerpts of two values, each on one line. If a value is long, both excerpts begin near the difference. */
export function excerptsOf({
  before,
  after,
}: {
  readonly before?: unknown;
  readonly after?: unknown;
}): [string, string] {
  const [one, other] = [shown(before), shown(after)];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const start = Math.max(one.length, other.length) <= MAX_EXCERPT ? 0 : Math.max(same - 30, 0);
  const excerpt = (text: string): string =>
    [
      start > 0 && text !== '' ? '…' : '',
      text.slice(start, start + MAX_EXCERPT).toWellFormed(),
      text.length > start + MAX_EXCERPT ? '…' : '',
    ]
      .join('')
      .replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? '↵' : '\u{fffd}'));
  return [excerpt(one), excerpt(other)];
}

const MAX_EXCERPT = 200;

function shown(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
