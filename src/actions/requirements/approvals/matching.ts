/** A group of approvals, as the matching algorithm sees it. */
export interface Places {
  readonly id: string;
  readonly count: number;
  /** The people who could take a place. */
  readonly people: ReadonlySet<string>;
}

/**
 * How many places of each group can be filled at most. With `isDistinct` a person fills one place in all groups
 * together, otherwise one in each group. Earlier groups have priority over later ones.
 */
export function placesTaken(groups: readonly Places[], isDistinct: boolean): ReadonlyMap<string, number> {
  if (!isDistinct) return new Map(groups.map(({ id, count, people }) => [id, Math.min(count, people.size)]));
  const groupOf = new Map<string, Places>();
  for (const group of groups)
    for (let place = 0; place < group.count; place += 1) if (!takePlace(group, groupOf, new Set())) break;
  return new Map(groups.map((group) => [group.id, countOf(groupOf, group)]));
}

/** Finds a person for one more place, moving others to different groups if necessary (an augmenting path). */
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

function countOf(groupOf: ReadonlyMap<string, Places>, group: Places): number {
  return [...groupOf.values()].filter((held) => held === group).length;
}
