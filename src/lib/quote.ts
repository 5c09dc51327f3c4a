const mostShown = 100;

/** A name that a client chose, as an error shows it: its first 100 characters. */
export function excerpt(name: string): string {
  return name.length > mostShown ? `${name.slice(0, mostShown).toWellFormed()}…` : name;
}

/** The same in quotes. */
export function quote(name: string): string {
  return name.length > mostShown ? `${JSON.stringify(name.slice(0, mostShown))}…` : JSON.stringify(name);
}
