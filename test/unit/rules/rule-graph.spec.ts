import { atOnce } from '../../../packages/fair/turn.js';
import { findRuleLinks } from '../../../src/automation/rules/rule-graph.js';
import { circlesIn, type RuleLink } from '../../../src/workflows/model/rule-links.js';
import { scopeOf } from '../../../src/workflows/model/check/kit.js';
import { mergeDefinitions } from '../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';

// "`plan` draws rule → action → what it sets → rule and names possible circles."
const definition = (...rules: readonly string[]): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Risk, type: singleSelect, options: [Low, High] }]
    actions:
      - { id: busy, name: Busy, steps: [{ name: Go, type: move_to_stage, stage: Busy }] }
      - { id: risky, name: Risky, steps: [{ name: Set, type: update_fields, set: { Risk: High } }] }
      - { id: mina, name: Mina, steps: [{ name: To, type: assign, to: mina@acme.test }] }
      - { id: later, name: Later, steps: [{ name: Wait, type: schedule_action, action: then, after: 1 hour }] }
      - { id: then, name: Then, steps: [{ name: Wait, type: schedule_action, action: busy, after: 1 hour }] }
      - { id: order, name: Order, steps: [{ name: New, type: create_linked_task, relationship: orders, set: { Order: '1' } }] }
    rules: [${rules.map((rule) => `{ ${rule} }`).join(', ')}]
  - id: orders
    name: Orders
    stages: [{ name: Open }]
    fields: [{ name: Order, type: uniqueId, required: true }]
    actions: [{ id: back, name: Back, steps: [{ name: Set, type: update_linked_tasks, relationship: orders, set: { Risk: Low } }] }]
    rules: [{ id: opened, on: created, run: back }]
relationships:
  - { id: orders, kind: one_to_many, from: { workflow: tickets, name: Orders }, to: { workflow: orders, name: Ticket } }
`;

function linksOf(...rules: readonly string[]): string[] {
  return drawn(...rules).map(
    ({ rule, run, changes, next }) => `${rule} → ${run} → ${changes.join()} → ${next}`,
  );
}

function drawn(...rules: readonly string[]): RuleLink[] {
  const source = readDefinition(definition(...rules), 'file.yaml');
  expect(source.faults).toEqual([]);
  return atOnce(findRuleLinks(scopeOf(mergeDefinitions(undefined, source.definition, {}))));
}

it('a rule follows the fields that the action of another sets, if it waits for them', () => {
  const links = linksOf(
    'id: a, on: created, run: risky',
    'id: b, on: field_changed, field: Risk, to: High, run: busy',
    'id: c, on: field_changed, field: Risk, to: Low, run: busy',
    'id: d, on: stage_entered, stage: Busy, run: mina',
    'id: e, on: stage_left, stage: Busy, run: mina',
    'id: f, on: assigned, to: nobody, run: risky',
    'id: g, on: execution_failed, action: risky, run: mina',
  );
  expect(links).toEqual([
    'tickets / a → risky → Risk → tickets / b',
    'tickets / a → risky → risky → tickets / g',
    'tickets / b → busy → Stage → tickets / d',
    'tickets / c → busy → Stage → tickets / d',
    'tickets / f → risky → Risk → tickets / b',
    'tickets / f → risky → risky → tickets / g',
    'orders / opened → back → Risk → tickets / c',
  ]);
});

it('a circle may lead through timers', () => {
  const links = drawn('id: wait, on: stage_entered, stage: Busy, run: later');
  expect(circlesIn(links)).toEqual([['tickets / wait']]);
});

it('a circle may lead over another workflow', () => {
  const links = drawn(
    'id: ask, on: field_changed, field: Risk, to: Low, run: order',
    'id: linked, on: linked, relationship: orders, run: mina',
  );
  expect(links.map(({ rule, next }) => [rule, next])).toEqual([
    ['tickets / ask', 'tickets / linked'],
    ['tickets / ask', 'orders / opened'],
    ['orders / opened', 'tickets / ask'],
  ]);
  expect(circlesIn(links)).toEqual([['tickets / ask', 'orders / opened']]);
});

it('reports each of several circles, also a rule that follows itself', () => {
  const link = (rule: string, next: string) => ({ rule, run: 'x', changes: [], next });
  const links = [link('a', 'a'), link('b', 'c'), link('c', 'd'), link('d', 'c'), link('d', 'e')];
  expect(circlesIn(links)).toEqual([['a'], ['c', 'd']]);
  expect(circlesIn([link('a', 'b'), link('b', 'c')])).toEqual([]);
});

it('an action that is tried again because it failed is a circle', () => {
  expect(circlesIn(drawn('id: again, on: execution_failed, action: mina, run: mina'))).toEqual([
    ['tickets / again'],
  ]);
});
