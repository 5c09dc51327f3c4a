import { kinds, kindsWithin } from '../../../src/workflows/definition/kinds.js';
import { marksIn } from '../../../src/workflows/model/marks.js';
import { isRenamed, kindInKey } from '../../../src/workflows/definition/merge/renames.js';

interface Described {
  readonly properties?: Readonly<Record<string, object>>;
  readonly oneOf?: readonly Described[];
}

// Rule: what treats all lists of a definition alike finds in each what it reads.
describe.each(kinds.map((kind) => [kind.list, kind] as const))('the list %s', (_, kind) => {
  const items: Described = kind.schema.items;

  it('has the settings of its key in each form of its elements', () => {
    for (const { properties = {} } of items.oneOf ?? [items])
      expect(Object.keys(properties)).toEqual(expect.arrayContaining([...kind.key]));
  });

  it('comes after the lists whose elements its key names', () => {
    const before = kindsWithin(kind.of).slice(0, kindsWithin(kind.of).indexOf(kind));
    const named = kind.key.flatMap((_key, at) => kindInKey(kind, at) ?? []);
    expect(before.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });

  it('refers only to elements of lists and to secrets', () => {
    const named = marksIn(kind.schema.items).flatMap(([, said]) => /names?: (\w+)/.exec(said)?.[1] ?? []);
    expect([...kinds.map(({ name }) => name), 'secret']).toEqual(expect.arrayContaining(named));
  });

  it('has a name and a key that no other list has', () => {
    expect(kinds.filter(({ name, list }) => name === kind.name || list === kind.list)).toEqual([kind]);
  });
});

it('an element can be renamed only if its data stays with the row or is moved', () => {
  const moved = kinds.filter((kind) => isRenamed(kind) && !kind.rows && !kind.begin);
  // Whatever waits for an action moves with it: approvals, executions and timers.
  expect(moved.map(({ name }) => name)).toEqual(['action']);
});
