import { stepTypes } from '../../../../src/actions/step-types.js';
import { fieldTypes } from '../../../../src/workflows/fields/field-types.js';
import { faultsOf } from '../checked.js';

const good = `workspace: { id: people, name: People }
users:
  - { email: mina@people.test }
workflows:
  - id: onboarding
    name: Onboarding
    stages:
      - { name: New }
      - { name: Done, end: true }
    fields:
      - { name: Number, type: uniqueId, autoincrement: true }
      - { name: Salary, type: currency }
    roles:
      - { id: hr, name: HR, actions: [finish] }
    members:
      - { email: mina@people.test, role: hr }
    actions:
      - id: finish
        name: Finish
        stages: [New]
        requirements:
          required_fields: [Salary]
          conditions:
            - { when: 'task["Salary"] > 0', message: Salary must be positive }
        steps:
          - { name: Go, type: move_to_stage, stage: Done }
          - { name: Equip, type: create_linked_task, relationship: equipment, set: { Item: 'No. {{Number}}' } }
  - id: equipment
    name: Equipment
    stages: [{ name: Open }]
    fields:
      - { name: Number, type: uniqueId, autoincrement: true }
      - { name: Item, type: text, required: true }
relationships:
  - { id: equipment, kind: one_to_many, from: { workflow: onboarding, name: Equipment }, to: { workflow: equipment, name: Person } }
`;

const action = 'workflows[0].actions[0]';
const steps = [...stepTypes.keys()].join(', ');

describe('reports a mistake once, with its line and a suggestion:', () => {
  it.each([
    ['a key', 'end: true', 'ends: true', 'f:9: workflows[0].stages[1].ends: is not known here; did you mean end?'],
    ['a key like no other', 'role: hr', 'role: hr, colour: red', 'f:16: workflows[0].members[0].colour: is not known here; known keys are: email, role'],
    ['a type of step', 'type: move_to_stage', 'type: moveToStage', `f:26: ${action}.steps[0].type: is not one of: ${steps}; did you mean move_to_stage?`],
    ['no type of step', 'type: move_to_stage, ', '', `f:26: ${action}.steps[0].type: is required`],
    ['a stage', 'stage: Done', 'stage: Doen', `f:26: ${action}.steps[0].stage: is not a stage of workflow onboarding: Doen; did you mean Done?`],
    ['a field', '[Salary]', '[Salry]', `f:22: ${action}.requirements.required_fields[0]: is not a field of workflow onboarding: Salry; did you mean Salary?`],
    ['a field of a condition', 'task["Salary"]', 'task["salray"]', `f:24: ${action}.requirements.conditions[0].when: reads an unknown field of workflow onboarding: salray; did you mean Salary?`],
    ['a field of a template', '{{Number}}', '{{Nubmer}}', `f:27: ${action}.steps[1].set.Item: names an unknown field of workflow onboarding: {{Nubmer}}; did you mean Number?`],
    ['a relationship for a field', '[Salary]', '[Equipment]', `f:22: ${action}.requirements.required_fields[0]: is not a field of workflow onboarding: Equipment, which is a relationship`],
    ['a relationship', 'relationship: equipment', 'relationship: equipmnt', `f:27: ${action}.steps[1].relationship: is not a relationship of workflow onboarding: equipmnt; did you mean equipment?`],
    ['the name of a relationship', 'relationship: equipment', 'relationship: Equipment', `f:27: ${action}.steps[1].relationship: is not a relationship of workflow onboarding: Equipment; the relationship with this name has the id equipment`],
    ['a workflow', 'from: { workflow: onboarding', 'from: { workflow: onbording', 'f:35: relationships[0].from.workflow: is not a workflow of this workspace: onbording; did you mean onboarding?'],
    ['an action', 'actions: [finish]', 'actions: [finsh]', 'f:14: workflows[0].roles[0].actions[0]: is not an action of workflow onboarding: finsh; did you mean finish?'],
    ['a role', 'role: hr', 'role: HR', 'f:16: workflows[0].members[0].role: is not a role of workflow onboarding: HR; did you mean hr?'],
    ['a user', '- { email: mina@people.test, role', '- { email: mnia@people.test, role', 'f:16: workflows[0].members[0].email: is not a user of this workspace: mnia@people.test; did you mean mina@people.test?'],
    ['a new task that lacks a required field', "{ Item: 'No. {{Number}}' }", '{}', `f:27: ${action}.steps[1].set: leaves out Item, which is required for tasks of workflow equipment`],
    ['a value that a field never takes', "{ Item: 'No. {{Number}}' }", '{ Item: [a] }', `f:27: ${action}.steps[1].set.Item: is not a text`],
    ['a stage that is set', "{ Item: 'No. {{Number}}' }", '{ Item: x, Stage: Opn }', `f:27: ${action}.steps[1].set.Stage: is not a stage of workflow equipment: Opn; did you mean Open?`],
    ['an expression without its mapping', 'type: move_to_stage, stage: Done', 'type: update_fields, set: { Salary: today() }', `f:26: ${action}.steps[0].set.Salary: is not a number such as 1234.56: if it is an expression, write { expression: 'today()' }`],
    ['a misspelt secret', 'type: move_to_stage, stage: Done', "type: api_call, url: 'https://x.test/', headers: { Authorization: 'Bearer {{secrets.KEY}}' }", `f:26: ${action}.steps[0].headers.Authorization: names an unknown field of workflow onboarding: {{secrets.KEY}}; did you mean secret.KEY?`],
    ['a secret like a file', 'type: move_to_stage, stage: Done', "type: api_call, url: 'https://x.test/{{secret.KEY_FILE}}'", `f:26: ${action}.steps[0].url: names a secret that ends in _FILE, which is reserved for variables with the path of a file: KEY_FILE`],
    ['a function in a template', '{{Number}}', '{{today()}}', `f:27: ${action}.steps[1].set.Item: names an unknown field of workflow onboarding: {{today()}}: write { expression: 'today()' }`],
    ['a field of a linked task in a template', '{{Number}}', '{{Equipment.Item}}', `f:27: ${action}.steps[1].set.Item: names an unknown field of workflow onboarding: {{Equipment.Item}}`],
    ['a field of a linked task to assign to', 'type: move_to_stage, stage: Done', 'type: assign, to: { field: Equipment.Item }', `f:26: ${action}.steps[0].to.field: is not a field of workflow onboarding: Equipment.Item`],
    ['a recipient without a role', 'type: move_to_stage, stage: Done', "type: send_email, to: { role: '' }, subject: s, body: b", `f:26: ${action}.steps[0].to.role: is empty`],
    ['a recipient of no kind', 'type: move_to_stage, stage: Done', "type: send_email, to: { expression: 'x' }, subject: s, body: b", `f:26: ${action}.steps[0].to.expression: is not known here; known keys are: field, role`],
    ['a method that is written as a function', 'task["Salary"] > 0', 'lowerAscii(task.Number) == "x"', `f:24: ${action}.requirements.conditions[0].when: is not an expression: lowerAscii() exists, but is called in another form`],
    ['a kind with hyphens', 'one_to_many', 'one-to-many', 'f:35: relationships[0].kind: is not one of: one_to_one, one_to_many, many_to_one, many_to_many; did you mean one_to_many?'],
    ['a time zone', 'name: People }', 'name: People, timezone: Berlin }', 'f:1: workspace.timezone: is not a time zone: Berlin; did you mean Europe/Berlin?'],
    ['who it is assigned to', 'type: move_to_stage, stage: Done', 'type: assign, to: performr', `f:26: ${action}.steps[0].to: is neither a user of this workspace nor performer, nobody: performr; did you mean performer?`],
    ['a template without quotes', "'No. {{Number}}'", '{{Number}}', `f:27: ${action}.steps[1].set.Item: has a key that is not a text: a text with {{…}} needs quotes`],
    ['a tab', '        stages: [New]', '\tstages: [New]', 'f:20: Tabs are not allowed as indentation'],
    ['a text for a list', 'stages: [New]', 'stages: New', `f:20: ${action}.stages: is not a list`],
    ['a text for a mapping, whose name others name', '- { name: Done, end: true }', '- Done', 'f:9: workflows[0].stages[1]: is not a mapping'],
    ['a type of field with settings', 'type: currency', 'type: Currncy, decimals: 2', `f:12: workflows[0].fields[1].type: is not one of: ${[...fieldTypes.keys()].join(', ')}; did you mean currency?`],
    ['a number for a name', 'name: Onboarding', 'name: 2024', 'f:6: workflows[0].name: is not a text'],
    ['nothing for a name', '    name: Onboarding', '    name:', 'f:6: workflows[0].name: is not a text'],
    ['a sum for a condition', 'task["Salary"] > 0', 'round(1, 1)', `f:24: ${action}.requirements.conditions[0].when: is not a condition: it gives a number, not true or false`],
    ['a sign too many in a block', `- { when: 'task["Salary"] > 0', message: Salary must be positive }`, '- message: Salary must be positive\n              when: |\n                task["Salary"] > 0 &&\n                task["Salary"] > > 0', `f:25: ${action}.requirements.conditions[0].when: is not an expression: Unexpected token: GT at line 2, character 18, after task["Salary"] >`],
    ['an outcome of a stage that is no end', '- { name: New }', '- { name: New, outcome: dropped }', 'f:8: workflows[0].stages[0].outcome: is for end stages only: add end: true'],
    ['a word for a constant', 'required_fields: [Salary]', 'checklist: true', `f:22: ${action}.requirements.checklist: must be completed`],
  ])('%s', (_, from, to, fault) => {
    expect(good).toContain(from);
    expect(faultsOf(good.replace(from, to))).toEqual([fault]);
  }); // prettier-ignore
});

it.each(['', '# later\n', '- id: onboarding\n', 'onboarding\n'])(
  'refuses a file that holds no mapping: %j',
  (text) => {
    expect(faultsOf(text)).toEqual([
      'f:1: is not a mapping: a definition begins with workspace: { id: acme }',
    ]);
  },
);

describe('a step that sets a field with editable: false', () => {
  const why = 'is a field with editable: false, which nothing can change after the task is created. If only actions may change the field, write change: by_actions in its definition instead'; // prettier-ignore
  const fixed = good.replace('type: currency', 'type: currency, editable: false').replace('type: text, required: true', 'type: text, required: true, editable: false'); // prettier-ignore
  const doing = (step: string): string => fixed.replace('type: move_to_stage, stage: Done', step);

  it.each([
    ['update_fields', 'type: update_fields, set: { Salary: 1 }', 'Salary'],
    ['an expression', `type: update_fields, set: { Salary: { expression: '1' } }`, 'Salary'],
    ['update_linked_tasks', 'type: update_linked_tasks, relationship: equipment, set: { Item: x }', 'Item'],
  ])('%s: is refused, because the task exists', (_, step, name) => {
    expect(faultsOf(doing(step))).toEqual([`f:26: ${action}.steps[0].set.${name}: ${why}`]);
    expect(faultsOf(doing(step).replaceAll('editable: false', 'change: by_actions'))).toEqual([]);
  });

  it('`change` is refused for the Unique ID', () => {
    expect(faultsOf(good.replace('autoincrement: true', 'autoincrement: true, change: by_actions'))).toEqual([
      'f:11: workflows[0].fields[0].change: cannot be set for the type uniqueId',
    ]);
    expect(faultsOf(good.replace('type: currency', 'type: currency, change: never'))).toEqual([
      'f:12: workflows[0].fields[1].change: is not one of: freely, by_actions',
    ]);
  });
});
