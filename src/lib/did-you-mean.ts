/** What a message says of the name that was probably meant, if there is one; `prefix` stands before each of the names. */
export function didYouMean(name: string, known: Iterable<string>, prefix = ''): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
}

/** The name with the fewest other letters, a third at most. */
function nearest(name: string, known: Iterable<string>): string | undefined {
  const near = Array.from(known, (each) => ({ each, distance: distanceBetween(name, each) }));
  const [best] = near.sort((one, other) => one.distance - other.distance);
  return best && best.distance <= name.length / 3 ? best.each : undefined;
}

/** Letters to add, drop or replace (Levenshtein). */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [at, above] of row.slice(1).entries()) {
      const replaced = (row[at] ?? 0) + (letter === other[at] ? 0 : 1);
      next.push(Math.min(above + 1, (next[at] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
