const MAX_SHOWN = 100;

/** A name that a client chose, as an error shows it: its first 100 characters. */
export function excerpt(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN).toWellFormed()}…` : name;
}

/** A name that a client chose, as code in a sentence: its first 100 characters between backquotes. */
export function code(name: string): string {
  return `\`${excerpt(name)}\``;
}

/** A name that a client chose, in quotes and cut after 100 characters. */
export function quote(name: string): string {
  return name.length > MAX_SHOWN ? `${JSON.stringify(name.slice(0, MAX_SHOWN))}…` : JSON.stringify(name);
}

const MAX_LISTED = 20;

/** The names that there are, as an error lists them: the first 20 and how many more. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  const first = all.slice(0, MAX_LISTED).map(excerpt).join(', ');
  return all.length > MAX_LISTED ? `${first} and ${all.length - MAX_LISTED} more` : first;
}
