export interface Places {
  readonly id: string;
  readonly count: number;
  readonly people: ReadonlySet<string>;
}

/** Counts the places that can be filled. A person fills one place; earlier groups come first. */
export function placesTaken(groups: readonly Places[]): ReadonlyMap<string, number> {
  const groupOf = new Map<string, Places>();
  const taken = groups.map((group): [string, number] => {
    let places = 0;
    while (places < group.count && takePlace(group, groupOf, new Set())) places += 1;
    return [group.id, places];
  });
  return new Map(taken);
}

/** Fills one more place; if necessary, moves people to other groups (an augmenting path). */
function takePlace(group: Places, groupOf: Map<string, Places>, tried: Set<string>): boolean {
  for (const person of group.people) {
    const held = groupOf.get(person);
    if (held === group || tried.has(person)) continue;
    tried.add(person);
    if (held && !takePlace(held, groupOf, tried)) continue;
    groupOf.set(person, group);
    return true;
  }
  return false;
}
