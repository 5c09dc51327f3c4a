import { diffDefinitions } from '../../../../src/workflows/definition/merge/diff.js';
import { mergeDefinitions } from '../../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../../src/workflows/definition/source/read-definition.js';
import { type WorkspaceDefinition } from '../../../../src/workflows/model/definition.js';

const text = `workspace: { id: acme }
users:
  - { email: mina@acme.test, away: { from: 2026-12-01, until: 2026-12-05, to: theo@acme.test } }
  - { email: theo@acme.test, active: false }
workflows:
  - id: w
    name: W
    stages:
      - { name: New, enter: by_actions, change: [Note] }
      - { name: Held, change: by_actions }
      - { name: Done, end: true }
    fields:
      - { name: ID, type: uniqueId, required: true, editable: false }
      - { name: Note, type: text, pattern: '^A', max_length: 9, change: by_actions }
      - { name: Sum, type: number, decimals: 2, min: 5, max: 10 }
      - { name: Day, type: date, min: 2026-01-31, max: 2026-12-31 }
      - { name: Instant, type: datetime, max: 2026-07-01T00:00:00+02:00 }
      - { name: Tier, type: singleSelect, options: [Gold, Silver] }
      - { name: Papers, type: file, limit: 3 }
    checklist: [{ title: Ask, stage: New }]
    roles:
      - { id: boss, name: Boss, actions: [close], sees: assigned, edits: assigned, creates: false, moves: by_actions }
    members: [{ email: mina@acme.test, role: boss }]
    actions:
      - id: close
        name: Close
        stages: [New]
        fields: [{ field: Tier, required: true }]
        requirements:
          required_fields: [Note]
          checklist: completed
          assigned: true
          confirmation: Close it?
          conditions: [{ when: 'task["Sum"] > 5', message: is low }]
          approvals: { of: [{ id: board, count: 2, roles: [boss], not: [creator, editors], covers: [Sum, Note] }] }
      - { id: auto, name: Auto, start: by_rules }
    rules: [{ id: r, on: created, run: auto, limit: { per_rule: 1 per hour, per_task: 3 per day } }]
  - { id: v, name: V, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId, required: true }] }
relationships:
  - { id: l, kind: one_to_one, from: { workflow: w, name: Out, change: by_actions }, to: { workflow: v, name: Back } }
webhooks:
  - { id: erp, url: 'https://erp.test', events: [task.created], workflows: [v], when: 'true' }
`;

const read = (yaml: string): WorkspaceDefinition =>
  mergeDefinitions(undefined, readDefinition(yaml, 'f').definition);

/** What the plan of this edit marks as weaker. */
function markedBy(from: string, to: string): string[] {
  expect(text).toContain(from);
  const file = readDefinition(text.replace(from, to), 'f').definition;
  const changes = diffDefinitions(read(text), mergeDefinitions(read(text), file, { isPruning: true }));
  expect(changes).not.toEqual([]);
  return changes.flatMap(({ kind, what, relaxes, alterations = [] }) => [
    ...(relaxes ? [`${kind} ${what}`] : []),
    ...alterations.flatMap((one) => (one.relaxes ? [one.at] : [])),
  ]);
}

describe('a plan marks a change that allows more or requires less, and not its opposite:', () => {
  it.each([
    ['a user who may sign in', ', active: false', '', 'active'],
    ['a deputy on other days', 'until: 2026-12-05', 'until: 2026-12-31', 'away.until'],
    ['a way into a stage', ', enter: by_actions', '', 'enter'],
    ['a key that stays open in a stage', 'change: [Note]', 'change: [Note, Sum]', 'change'],
    ['a stage without a lock', ', change: by_actions }\n      - { name: Done', ' }\n      - { name: Done', 'change'],
    ['a field that may be blank', 'required: true, editable', 'editable', 'required'],
    ['a field that may change', ', editable: false', '', 'editable'],
    ['a field that payloads may change', ', change: by_actions }\n      - { name: Sum', ' }\n      - { name: Sum', 'change'],
    ['a pattern', "pattern: '^A', ", '', 'pattern'],
    ['another pattern', "pattern: '^A', ", "pattern: '^B', ", 'pattern'],
    ['a length', 'max_length: 9', 'max_length: 10', 'max_length'],
    ['decimals', 'decimals: 2', 'decimals: 3', 'decimals'],
    ['a least number', 'min: 5', 'min: -5', 'min'],
    ['a greatest number', 'max: 10', 'max: 100', 'max'],
    ['a first day', 'min: 2026-01-31', 'min: 2025-12-31', 'min'],
    ['a last instant, in another time zone', 'max: 2026-07-01T00:00:00+02:00', 'max: 2026-06-30T23:00:00Z', 'max'],
    ['an option', '[Gold, Silver]', '[Gold, Silver, Tin]', 'options'],
    ['a number of files', ', limit: 3', '', 'limit'],
    ['a Unique ID that nobody has to give', 'type: uniqueId, required: true, e', 'type: uniqueId, required: true, autoincrement: true, e', 'autoincrement'],
    ['an item of the checklist', '{ title: Ask, stage: New }', '', 'remove checklist item'],
    ['admin', 'name: Boss,', 'name: Boss, admin: true,', 'admin'],
    ['an action of a role', 'actions: [close]', 'actions: [close, auto]', 'actions'],
    ['sight', 'sees: assigned', 'sees: all', 'sees'],
    ['edits', 'edits: assigned', 'edits: all', 'edits'],
    ['creation', 'creates: false', 'creates: true', 'creates'],
    ['moves', ', moves: by_actions', '', 'moves'],
    ['deletion', 'name: Boss,', 'name: Boss, deletes: true,', 'deletes'],
    ['a member', 'members: [', 'members: [{ email: theo@acme.test, role: boss }, ', 'add member'],
    ['another role of a member', 'role: boss }', 'role: [boss, chief] }', 'role'],
    ['a stage of an action', 'stages: [New]', 'stages: [New, Held]', 'stages'],
    ['an action in every stage', '        stages: [New]\n', '', 'stages'],
    ['an action that people can start', ', start: by_rules', '', 'start'],
    ['a field that an action asks for', 'fields: [{', 'fields: [Sum, {', 'fields[0]'],
    ['a value that an action asks for', '{ field: Tier, required: true }', 'Tier', 'fields[0].required'],
    ['a required field', 'required_fields: [Note]', 'required_fields: []', 'requirements.required_fields'],
    ['the checklist', '          checklist: completed\n', '', 'requirements.checklist'],
    ['an assignee', 'assigned: true', 'assigned: false', 'requirements.assigned'],
    ['a condition', `{ when: 'task["Sum"] > 5', message: is low }`, '', 'requirements.conditions["is low"]'],
    ['another condition', '> 5', '> 1', 'requirements.conditions["is low"].when'],
    ['fewer approvals', 'count: 2', 'count: 1', 'requirements.approvals.of[0].count'],
    ['others who approve', 'roles: [boss], not', 'roles: [boss, chief], not', 'requirements.approvals.of[0].roles'],
    ['those who were excluded', '[creator, editors]', '[creator]', 'requirements.approvals.of[0].not'],
    ['what an approval covers', '[Sum, Note]', '[Sum]', 'requirements.approvals.of[0].covers'],
    ['who may decide', 'count: 2', 'count: 2, by: anyone', 'requirements.approvals.of[0].by'],
    ['when it is needed', 'count: 2', `count: 2, when: 'task["Sum"] > 7'`, 'requirements.approvals.of[0].when'],
    ['how often a rule runs', '1 per hour', '1 per minute', 'limit.per_rule'],
    ['a rule without its limits', ', limit: { per_rule: 1 per hour, per_task: 3 per day }', '', 'limit'],
    ['a way to link', ', change: by_actions }, to', ' }, to', 'from.change'],
    ['more links', 'one_to_one', 'one_to_many', 'kind'],
    ['another receiver', 'https://erp.test', 'https://crm.test', 'url'],
    ['an event that is sent', '[task.created]', '[task.created, task.updated]', 'events'],
    ['a workflow that is sent', ', workflows: [v]', '', 'workflows'],
    ['another condition of events', `when: 'true'`, `when: '1 == 1'`, 'when'],
  ])('%s', (_, from, to, marked) => {
    expect(markedBy(from, to)).toEqual(marked.split(','));
    const back = diffDefinitions(read(text.replace(from, to)), mergeDefinitions(read(text.replace(from, to)), read(text), { isPruning: true })); // prettier-ignore
    const isUnknown = ['pattern', 'url'].includes(marked) || /when$/.test(marked) || from.startsWith('    roles');
    const isMarked = back.some(({ relaxes, alterations = [] }) => relaxes ?? alterations.some((one) => one.relaxes));
    if (!isUnknown) expect(isMarked).toBe(false);
  }); // prettier-ignore

  it('the last role, because without roles every user may do everything', () => {
    const file = readDefinition(text.replace(/    roles:\n.*\n    members.*\n/, ''), 'f').definition;
    const changes = diffDefinitions(read(text), mergeDefinitions(read(text), file, { isPruning: true }));
    expect(changes.filter(({ relaxes }) => relaxes)).toEqual([{ kind: 'remove', what: 'role', name: 'w / boss', relaxes: true }]); // prettier-ignore
  });

  it('but not a question that nothing enforces', () => {
    expect(markedBy('          confirmation: Close it?\n', '')).toEqual([]);
  });
});
