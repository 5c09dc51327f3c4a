const MAX_SHOWN = 100;

/** The first 100 characters of a name that a client chose, for an error. */
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

/** `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The verb form that agrees with the count. */
export function agree(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
