/** A sentence about each variable that looks like a setting of the service and is none of the known ones. */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly string[] {
  const isUnknown = (name: string): boolean =>
    name.startsWith('WTS_') && !known.includes(name) && !others.test(name);
  return Object.keys(environment)
    .filter(isUnknown)
    .sort()
    .map((name) => {
      const meant = nearest(name, known);
      return `${name} is not a setting of this service${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}

/** Secrets, and what docs/testing-against.md and the tests of the service have for themselves. */
const others = /^WTS_(SECRET_.*|HOME|TEST_.*|FAULTS|SABOTAGE|PATCHES)$/;

/** The name that was meant: the one with the fewest other letters, a third at most. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: distanceBetween(bare(name), bare(each)) }))
    .sort((one, other) => one.distance - other.distance);
  return best && best.distance <= bare(name).length / 3 ? best.each : undefined;
}

const bare = (name: string): string => name.replace(/^WTS_/, '');

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
