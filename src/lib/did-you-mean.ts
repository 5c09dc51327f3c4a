/** What a message says of the name that was probably meant, if there is one. Names are compared without this prefix. */
export function didYouMean(name: string, known: Iterable<string>, prefix = ''): string {
  const bare = (each: string): string => (each.startsWith(prefix) ? each.slice(prefix.length) : each);
  const meant = nearest(bare(name), known, bare);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The name with the fewest other letters, a third at most. */
function nearest(name: string, known: Iterable<string>, bare: (name: string) => string): string | undefined {
  const near = Array.from(known, (each) => ({ each, distance: distanceBetween(name, bare(each)) }));
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
