import { faultsOf, storedAs } from '../checked.js';

const things = (stages: string): string =>
  `{ workspace: { id: acme }, workflows: [{ id: things, name: Things, stages: [${stages}] }] }`;
const stored = storedAs(things('{ name: New }, { name: Old }, { name: Done, end: true }'));

it.each([
  ['{ name: Old, removed: true, move_tasks_to: Done }', undefined],
  ['{ name: Old, removed: true, move_tasks_to: Nowhere }', 'move_tasks_to: is not a stage of workflow things: Nowhere'],
  ['{ name: Old, removed: true, move_tasks_to: Old }', 'move_tasks_to: is not a stage of workflow things: Old, which this file removes'],
  ['{ name: Old, removed: true }, { name: Old }', 'name: is the name of another stage'],
  ['{ name: Old, move_tasks_to: Done }', 'removed: is required if move_tasks_to is given'],
  ['{ name: Old, removed: true, end: true }', 'end: is not allowed with removed: true'],
  ['{ name: Old, removed: false }', 'removed: must be true'],
])('a removed stage names a remaining stage for its tasks, and nothing else: %s', (stages, fault) => {
  const faults = faultsOf(things(stages), { stored });
  expect(faults).toEqual(fault === undefined ? [] : [`f:1: workflows[0].stages[0].${fault}`]);
}); // prettier-ignore
