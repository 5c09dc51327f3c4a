const mostShown = 100;

/** A name that a client chose, as an error shows it: its first 100 characters. */
export function excerpt(name: string): string {
  return name.length > mostShown ? `${name.slice(0, mostShown).toWellFormed()}…` : name;
}

/** The same in quotes. */
export function quote(name: string): string {
  return name.length > mostShown ? `${JSON.stringify(name.slice(0, mostShown))}…` : JSON.stringify(name);
}

const mostListed = 20;

/** The names that there are, as an error lists them: the first 20 and how many more. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  const first = all.slice(0, mostListed).map(excerpt).join(', ');
  return all.length > mostListed ? `${first} and ${all.length - mostListed} more` : first;
}
