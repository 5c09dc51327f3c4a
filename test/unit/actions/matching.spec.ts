import fc from 'fast-check';
import {
  neededElsewhereIn,
  placesTaken,
  type Places,
} from '../../../src/actions/requirements/approvals/judge-approvals.js';

const people = ['a', 'b', 'c', 'd', 'e'];
const anyGroups = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.subarray(people)), { minLength: 1, maxLength: 4 })
  .map((groups) =>
    groups.map(([count, members], at): Places => ({ id: String(at), count, people: new Set(members) })),
  );

/** The most places that can be taken, by trying every way to give each person one place or none. */
function most(groups: readonly Places[], left: readonly string[], taken: readonly number[]): number {
  const [person, ...others] = left;
  if (person === undefined) return taken.reduce((sum, each) => sum + each, 0);
  const ways = groups.flatMap((group, at) => {
    const isFree = group.people.has(person) && (taken[at] ?? 0) < group.count;
    return isFree ? [taken.map((each, index) => (index === at ? each + 1 : each))] : [];
  });
  return Math.max(...[taken, ...ways].map((way) => most(groups, others, way)));
}

describe('the places in groups that people fill', () => {
  it('are as many as any way of giving each person one place could fill', () => {
    fc.assert(
      fc.property(anyGroups, (groups) => {
        const taken = placesTaken(groups);
        const sum = [...taken.values()].reduce((a, b) => a + b, 0);
        expect(sum).toBe(most(groups, people, groups.map(() => 0))); // prettier-ignore
        for (const { id, count, people: members } of groups)
          expect(taken.get(id)).toBeLessThanOrEqual(Math.min(count, members.size));
      }),
    );
  });

  it('of an earlier group never become fewer because of a later group', () => {
    fc.assert(
      fc.property(anyGroups, (groups) => {
        const first = placesTaken(groups.slice(0, -1));
        const all = placesTaken(groups);
        for (const { id } of groups.slice(0, -1)) expect(all.get(id)).toBe(first.get(id));
      }),
    );
  });

  it('become fewer if a person who is needed elsewhere takes one', () => {
    fc.assert(
      fc.property(anyGroups, (groups) => {
        const isNeeded = neededElsewhereIn(groups);
        const places = groups.map(() => 0);
        for (const [at, { id }] of groups.entries())
          for (const person of people) {
            const others = people.filter((one) => one !== person);
            const rest = most(groups, others, places.with(at, 1));
            expect(isNeeded(person, id)).toBe(rest < most(groups, people, places));
          }
      }),
    );
  });
});
