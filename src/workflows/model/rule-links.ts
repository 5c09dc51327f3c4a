/** A rule whose action may trigger another rule or itself. */
export interface RuleLink {
  /** `vendors / hand-over`. */
  readonly rule: string;
  /** The action of the rule. */
  readonly run: string;
  /** What the action may change: keys of tasks, relationships that gain a link, or how the action ends. */
  readonly changes: readonly string[];
  readonly next: string;
}

/** Rules that may trigger each other endlessly, in order; a rule is listed in one circle only. */
export function circlesIn(links: readonly RuleLink[]): string[][] {
  const next = new Map<string, string[]>();
  for (const link of links) next.set(link.rule, [...(next.get(link.rule) ?? []), link.next]);
  const told = new Set<string>();
  return [...next.keys()].flatMap((rule) => {
    const circle = told.has(rule) ? undefined : shortestWay(next, rule);
    for (const member of circle ?? []) told.add(member);
    return circle ? [circle] : [];
  });
}

/** The shortest way from a rule back to itself. */
function shortestWay(next: ReadonlyMap<string, readonly string[]>, rule: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [rule];
  for (const at of queue)
    for (const to of next.get(at) ?? []) {
      if (to === rule) return wayTo(at, cameFrom, rule);
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      queue.push(to);
    }
  return undefined;
}

function wayTo(last: string, cameFrom: ReadonlyMap<string, string>, first: string): string[] {
  const way = [last];
  for (let at = last; at !== first;) {
    at = cameFrom.get(at) ?? first;
    way.unshift(at);
  }
  return way;
}
