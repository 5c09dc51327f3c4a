import { stepTypes } from '../../../../src/actions/step-types.js';
import { fieldTypes } from '../../../../src/workflows/fields/field-types.js';
import { faultsOf, warningsOf as allWarningsOf } from '../checked.js';

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

/** What is warned of in a text that is no mistake for sure, where one secret is set. */
const warningsOf = (text: string): readonly string[] =>
  allWarningsOf(text, { known: { secrets: new Map([['PEOPLE__SET', 'x']]) } });

const action = 'workflows[0].actions[0]';
const steps = [...stepTypes.keys()].join(', ');

describe('reports a mistake once, with its line and a suggestion:', () => {
  it('none where there is none', () => {
    expect(faultsOf(good)).toEqual([]);
  });

  it.each([
    ['a key', 'end: true', 'ends: true', 'f:9: workflows[0].stages[1].ends: is not known here; did you mean end?'],
    ['a key like no other', 'role: hr', 'role: hr, colour: red', 'f:16: workflows[0].members[0].colour: is not known here, which takes: email, role'],
    ['a type of step', 'type: move_to_stage', 'type: moveToStage', `f:26: ${action}.steps[0].type: is not one of: ${steps}; did you mean move_to_stage?`],
    ['no type of step', 'type: move_to_stage, ', '', `f:26: ${action}.steps[0].type: is required`],
    ['a stage', 'stage: Done', 'stage: Doen', `f:26: ${action}.steps[0].stage: is not a stage of workflow onboarding: Doen; did you mean Done?`],
    ['a field', '[Salary]', '[Salry]', `f:22: ${action}.requirements.required_fields[0]: is not a field of workflow onboarding: Salry; did you mean Salary?`],
    ['a field of a condition', 'task["Salary"]', 'task["salray"]', `f:24: ${action}.requirements.conditions[0].when: reads an unknown field of workflow onboarding: salray; did you mean Salary?`],
    ['a field of a template', '{{Number}}', '{{Nubmer}}', `f:27: ${action}.steps[1].set.Item: names an unknown field of workflow onboarding: {{Nubmer}}; did you mean Number?`],
    ['a relationship for a field', '[Salary]', '[Equipment]', `f:22: ${action}.requirements.required_fields[0]: is not a field of workflow onboarding: Equipment, which is a relationship`],
    ['a relationship', 'relationship: equipment', 'relationship: equipmnt', `f:27: ${action}.steps[1].relationship: is not a relationship of workflow onboarding: equipmnt; did you mean equipment?`],
    ['the name of a relationship', 'relationship: equipment', 'relationship: Equipment', `f:27: ${action}.steps[1].relationship: is not a relationship of workflow onboarding: Equipment; Equipment is a name of equipment`],
    ['a workflow', 'from: { workflow: onboarding', 'from: { workflow: onbording', 'f:35: relationships[0].from.workflow: is not a workflow of this workspace: onbording; did you mean onboarding?'],
    ['an action', 'actions: [finish]', 'actions: [finsh]', 'f:14: workflows[0].roles[0].actions[0]: is not an action of workflow onboarding: finsh; did you mean finish?'],
    ['a role', 'role: hr', 'role: HR', 'f:16: workflows[0].members[0].role: is not a role of workflow onboarding: HR; did you mean hr?'],
    ['a user', '- { email: mina@people.test, role', '- { email: mnia@people.test, role', 'f:16: workflows[0].members[0].email: is not a user of this workspace: mnia@people.test; did you mean mina@people.test?'],
    ['a number beside a text', 'task["Salary"] > 0', 'task["Salary"] == "much"', `f:24: ${action}.requirements.conditions[0].when: compares Salary, a number, with a text, which never fits`],
    ['a new task that lacks a required field', "{ Item: 'No. {{Number}}' }", '{}', `f:27: ${action}.steps[1].set: leaves out Item, which is required for tasks of workflow equipment`],
    ['a function in a template', '{{Number}}', '{{today()}}', `f:27: ${action}.steps[1].set.Item: names an unknown field of workflow onboarding: {{today()}}: write { expression: 'today()' }`],
    ['a field of a linked task in a template', '{{Number}}', '{{Equipment.Item}}', `f:27: ${action}.steps[1].set.Item: names an unknown field of workflow onboarding: {{Equipment.Item}}`],
    ['a field of a linked task to assign to', 'type: move_to_stage, stage: Done', 'type: assign, to: { field: Equipment.Item }', `f:26: ${action}.steps[0].to.field: is not a field of workflow onboarding: Equipment.Item`],
    ['a recipient without a role', 'type: move_to_stage, stage: Done', "type: send_email, to: { role: '' }, subject: s, body: b", `f:26: ${action}.steps[0].to.role: is empty`],
    ['a recipient of no kind', 'type: move_to_stage, stage: Done', "type: send_email, to: { expression: 'x' }, subject: s, body: b", `f:26: ${action}.steps[0].to.expression: is not known here, which takes: field, role`],
    ['a method that is written as a function', 'task["Salary"] > 0', 'lowerAscii(task.Number) == "x"', `f:24: ${action}.requirements.conditions[0].when: is not an expression: there is no function lowerAscii(): it is called in another form`],
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

/** The definition, with a field of every kind in the workflow of equipment, and these values set there. */
function setting(set: string): string {
  const more = `
      - { name: Due, type: date }
      - { name: Built, type: datetime }
      - { name: Price, type: currency, min: 1000 }
      - { name: Kept, type: checkbox }
      - { name: Tags, type: multipleSelect, options: [a, b] }
      - { name: Size, type: singleSelect, options: ['1', large] }
      - { name: Tier, type: singleSelect, options: [Gold] }
      - { name: Owner, type: person }
      - { name: Mail, type: email }
relationships:`;
  const own = `{ name: Start, type: datetime }
      - { name: Day, type: date }
      - { name: Paid, type: checkbox }
      - { name: Regions, type: multipleSelect, options: [x] }
      - { name: Salary`;
  const text = good.replace('\nrelationships:', more).replace('{ name: Salary', own);
  return text.replace("{ Item: 'No. {{Number}}' }", `{ Item: x, ${set} }`);
}

it.each(['', '# later\n', '- id: onboarding\n', 'onboarding\n'])(
  'refuses a file that holds no mapping: %j',
  (text) => {
    expect(faultsOf(text)).toEqual([
      'f:1: is not a mapping: a definition begins with workspace: { id: acme }',
    ]);
  },
);

describe('a value that never fits is refused:', () => {
  const at = 'f:31: workflows[0].actions[0].steps[1].set';
  const given = (name: string, expression: string): string => `${name}: { expression: ${JSON.stringify(expression)} }`; // prettier-ignore

  it.each([
    ['Due', 'task["Salary"] > 1 ? "soon" : today()', 'may give soon, which is not a date in YYYY-MM-DD format'],
    ['Due', 'task["Salary"]', 'gives Salary, of type currency, which never fits Due, of type date'],
    ['Due', 'now()', 'gives a date with its time, which never fits Due, of type date'],
    ['Due', '"Due " + task["Number"]', 'gives a text, which never fits Due, of type date'],
    ['Price', 'task["Paid"]', 'gives Paid, of type checkbox, which never fits Price, of type currency'],
    ['Kept', '1', 'may give 1, which is not a boolean'],
    ['Tags', '"a"', 'may give a, which is not an array'],
    ['Item', 'task["Regions"]', 'gives Regions, of type multipleSelect, which never fits Item, of type text'],
    ['Tier', 'task["Paid"] ? "Gold" : "Slver"', 'may give Slver, which is not one of: Gold'],
    ['Mail', 'task["Salary"]', 'gives Salary, of type currency, which never fits Mail, of type email'],
    ['Stage', 'task["Paid"] ? "Opn" : "Open"', 'may give Opn, which is not a stage of workflow equipment: Opn; did you mean Open?'],
    ['Stage', 'size(task["Regions"])', 'gives a number, which never fits Stage'],
    ['"Assigned To"', '"mnia@people.test"', 'may give mnia@people.test, which is not a user of this workspace: mnia@people.test; did you mean mina@people.test?'],
  ])('%s from %s', (name, expression, message) => {
    const key = name.replaceAll('"', '');
    const path = key === 'Assigned To' ? '["Assigned To"]' : `.${key}`;
    const set = key === 'Item' ? setting('').replace('Item: x, ', given(name, expression)) : setting(given(name, expression)); // prettier-ignore
    expect(faultsOf(set)).toEqual([`${at}${path}.expression: ${message}`]);
  }); // prettier-ignore

  it.each([
    ['a template of one field', "Due: '{{Salary}}'", 'Due: gives Salary, of type currency, which never fits Due, of type date'],
    ['an expression without its mapping', 'Due: today()', "Due: is not a date in YYYY-MM-DD format: if it is an expression, write { expression: 'today()' }"],
    ['a template with letters', "Price: 'about {{Salary}}'", 'Price: gives a text, which never fits Price, of type currency'],
    ['a template of a list', "Item: '{{Regions}}'", 'Item: gives Regions, of type multipleSelect, which never fits Item, of type text'],
  ])('%s', (_, set, message) => {
    const text = set.startsWith('Item') ? setting('').replace('Item: x, ', set) : setting(set);
    expect(faultsOf(text)).toEqual([`${at}.${message}`]);
  }); // prettier-ignore

  it('and none that may fit', () => {
    const values = [
      'Due: { expression: \'task["Paid"] ? today() : null\' }',
      'Built: { expression: now() }',
      "Price: '{{Number}}'",
      'Kept: { expression: \'task["Salary"] > 1\' }',
      `Tags: { expression: '["a"]' }`,
      `Size: { expression: 'size(task["Number"])' }`,
      `Tier: { expression: 'task["Number"]' }`,
      "Owner: '{{Assigned To}}'",
      'Mail: { expression: performer }',
      `Stage: { expression: 'task["Number"]' }`,
    ];
    expect(faultsOf(setting(values.join(', ')))).toEqual([]);
    expect(faultsOf(setting("Due: '{{Number}}-01-01', Price: { expression: 'task.Salary + 1' }"))).toEqual(
      [],
    );
  });
});

describe('a step that sets a field with editable: false', () => {
  const why = 'is a field with editable: false, which nothing can change once its task exists; write change: by_actions there instead, so that only actions change it'; // prettier-ignore
  const fixed = good.replace('type: currency', 'type: currency, editable: false').replace('type: text, required: true', 'type: text, required: true, editable: false'); // prettier-ignore
  const doing = (step: string): string => fixed.replace('type: move_to_stage, stage: Done', step);

  it.each([
    ['update_fields', 'type: update_fields, set: { Salary: 1 }', 'Salary'],
    ['an expression', `type: update_fields, set: { Salary: { expression: '1' } }`, 'Salary'],
    ['update_linked_tasks', 'type: update_linked_tasks, relationship: equipment, set: { Item: x }', 'Item'],
  ])('%s: is refused, for the task exists', (_, step, name) => {
    expect(faultsOf(doing(step))).toEqual([`f:26: ${action}.steps[0].set.${name}: ${why}`]);
    expect(faultsOf(doing(step).replaceAll('editable: false', 'change: by_actions'))).toEqual([]);
  });

  it('may do so where it creates the task', () => {
    expect(faultsOf(fixed)).toEqual([]);
  });

  it('change: is not for the Unique ID', () => {
    expect(faultsOf(good.replace('autoincrement: true', 'autoincrement: true, change: by_actions'))).toEqual([
      'f:11: workflows[0].fields[0].change: is not for uniqueId',
    ]);
    expect(faultsOf(good.replace('type: currency', 'type: currency, change: never'))).toEqual([
      'f:12: workflows[0].fields[1].change: is not one of: freely, by_actions',
    ]);
  });
});

describe('warns of a likely mistake, and applies it:', () => {
  const when = (condition: string): string => good.replace(`'task["Salary"] > 0'`, JSON.stringify(condition));
  const called = (step: string): string => good.replace('stage: Done }', `stage: Done }\n          - { name: Call, type: api_call, ${step} }`); // prettier-ignore
  const at = `f:24: ${action}.requirements.conditions[0].when`;

  it.each([
    ['task["Stage"] == "Nwe"', 'compares Stage with Nwe, which is not a stage of workflow onboarding; did you mean New?'],
    ['task.Stage in ["New", "Over"]', 'compares Stage with Over, which is not a stage of workflow onboarding'],
    ['task["Equipment"].all(i, i["Stage"] == "Opne")', 'compares Stage with Opne, which is not a stage of workflow equipment; did you mean Open?'],
  ])('%s', (condition, message) => {
    expect(warningsOf(when(condition))).toEqual([`${at}: ${message}`]);
  }); // prettier-ignore

  const fields = good
    .replace(
      '{ name: Salary',
      '{ name: Due, type: date }\n      - { name: Met, type: datetime }\n      - { name: Salary',
    ) // prettier-ignore
    .replace('\'task["Salary"] > 0\'', 'WHEN');
  const dates = 'as texts: the date of Met is its .substring(0, 10)';

  it.each([
    ['task.Due < now()', 'compares Due, a date, with now(), a datetime, as texts: write today()'],
    ['add_days(today(), 3) > task.Met', `compares add_days(today(), 3), a date, with Met, a datetime, ${dates}`],
    ['task.Met < "2026-01-31"', `compares "2026-01-31", a date, with Met, a datetime, ${dates}`],
    ['task.Due != "2026-01-31T12:00:00Z"', 'compares Due, a date, with "2026-01-31T12:00:00Z", a datetime, as texts: write the date alone'],
  ])('a day beside a moment: %s', (condition, message) => {
    expect(warningsOf(fields.replace('WHEN', JSON.stringify(condition)))).toEqual([
      `${at.replace('24', '26')}: ${message}`,
    ]);
  }); // prettier-ignore

  const last = '          - { name: Go, type: move_to_stage, stage: Done }\n';
  const alike = 'except for upper and lower case: people confuse the two, so choose another name';
  const call = (name: string, rest: string): string => `          - { name: ${name}, type: api_call, url: 'https://x.test/', ${rest} }\n`; // prettier-ignore
  it.each([
    ['a stage that no action enters', '- { name: New }', '- { name: New }\n      - { name: Held, enter: by_actions }', `f:9: workflows[0].stages[1].enter: is by_actions, but no action enters it: add a step move_to_stage to an action, or omit enter`],
    ['a stage of linked tasks that no action enters', 'stages: [{ name: Open }]', 'stages: [{ name: Open }, { name: Lent, enter: by_actions }]', 'f:30: workflows[1].stages[1].enter: is by_actions, but no action enters it: add a step move_to_stage to an action, or omit enter'],
    ['a move to where the task stands', last, last.replace('Done', 'New'), `f:26: ${action}.steps[0].stage: is the stage where the task already is: New; name another, or remove the step`],
    ['a move that another takes back', last, last + last.replace('Done', 'New'), [`f:26: ${action}.steps[0].type: has no effect because the next step does it again: remove one of the two`, `f:27: ${action}.steps[1].stage: is the stage where the task already is: New; name another, or remove the step`].join('\n')],
    ['a move of a task that goes', last.trimEnd() + "\n          - { name: Equip, type: create_linked_task, relationship: equipment, set: { Item: 'No. {{Number}}' } }", `${last}          - { name: Drop, type: delete_task }`, `f:26: ${action}.steps[0].type: has no effect because the next step deletes the task: remove one of the two`],
    ['a value that is set to itself', last, `${last}          - { name: Keep, type: update_fields, set: { Salary: '{{Salary}}' } }\n`, `f:27: ${action}.steps[1].set.Salary: sets the value that the field already has: set another value, or omit it`],
    ['a value that an expression sets to itself', last, `${last}          - { name: Keep, type: update_fields, set: { Salary: { expression: 'task["Salary"]' } } }\n`, `f:27: ${action}.steps[1].set.Salary.expression: sets the value that the field already has: set another value, or omit it`],
    ['nothing that is set', last, `${last}          - { name: Keep, type: update_fields, set: {} }\n`, `f:27: ${action}.steps[1].set: sets nothing: name the fields to set, or remove the step`],
    ['stages', '- { name: New }', '- { name: New }\n      - { name: NEW }', `f:9: workflows[0].stages[1].name: is the name of another stage ${alike}`],
    ['fields', '- { name: Salary', '- { name: salary, type: number }\n      - { name: Salary', `f:13: workflows[0].fields[2].name: is the name of another field ${alike}`],
    ['options', '- { name: Salary', '- { name: Tier, type: singleSelect, options: [Gold, gold] }\n      - { name: Salary', `f:12: workflows[0].fields[1].options[1]: is another option ${alike}`],
    ['an action that no role has', '[finish]', '[]', `f:18: ${action}.id: can be started only by API keys: add it to the actions of a role`],
    ['a call that outlasts its execution', last, last + call('Tell', 'tries: 3, timeout_seconds: 100'), `f:27: ${action}.steps[1].tries: may take 300 s, but an execution ends after 300 s: lower tries or timeout_seconds`],
    ['calls that do so together', last, last + call('Tell', 'timeout_seconds: 60') + call('Again', 'timeout_seconds: 50'), `f:28: ${action}.steps[2].tries: may take 330 s with the calls before it, but an execution ends after 300 s: lower tries or timeout_seconds`],
  ])('%s', (_, from, to, warnings) => {
    expect(good).toContain(from);
    expect(warningsOf(good.replace(from, to)).join('\n')).toBe(warnings);
  }); // prettier-ignore

  it('options', () => {
    const fields = '{ name: Tier, type: singleSelect, options: [Gold] }\n      - { name: Regions, type: multipleSelect, options: [EMEA] }\n      - { name: Salary'; // prettier-ignore
    const condition =
      'task.Tier == "Glod" || "EMAE" in task.Regions || task.Regions == ["AMER"] || task.Tier == "Gold"';
    const text = when(condition).replace('{ name: Salary', fields);
    const place = at.replace('24', '26');
    expect(warningsOf(text)).toEqual([
      `${place}: compares Tier with Glod, which is not one of its options; did you mean Gold?`,
      `${place}: compares Regions with EMAE, which is not one of its options; did you mean EMEA?`,
      `${place}: compares Regions with AMER, which is not one of its options`,
    ]);
  });

  it('what looks like an expression and is a text; what looks like a template and is none', () => {
    expect(warningsOf(good.replace("'No. {{Number}}'", 'task.Salary'))).toEqual([
      `f:27: ${action}.steps[1].set.Item: is set unchanged: if it is an expression, write { expression: 'task.Salary' }`,
    ]);
    expect(warningsOf(good.replace('Salary must be positive', "'{{Salary}} is too little'"))).toEqual([
      `f:24: ${action}.requirements.conditions[0].message: is shown unchanged: {{…}} is not filled in here`,
    ]);
  });

  it('a secret that is misspelt, once', () => {
    const text = called("url: 'https://x.test/', headers: { Authorization: 'Bearer {{secrets.KEY}}' }");
    expect(faultsOf(text)).toEqual([
      `f:27: ${action}.steps[1].headers.Authorization: names an unknown field of workflow onboarding: {{secrets.KEY}}; did you mean secret.KEY?`,
    ]);
    expect(faultsOf(called("url: 'https://x.test/{{secret.KEY_FILE}}'"))).toEqual([
      `f:27: ${action}.steps[1].url: names a secret that ends in _FILE, like the variable for a secret in a file: KEY_FILE`,
    ]);
  });

  it('secrets that are not set, each once', () => {
    const text = called("url: 'https://x.test/{{secret.set}}', headers: { Authorization: '{{secret.billing-key}}' }, body: '{{secret.billing-key}}'"); // prettier-ignore
    expect(warningsOf(text)).toEqual([
      `f:27: ${action}.steps[1].headers.Authorization: needs the secret billing-key, which is not set in the environment of this command: workers need WTS_SECRET_PEOPLE__BILLING_KEY`,
    ]);
  });

  it('nothing else', () => {
    expect(warningsOf(good)).toEqual([]);
    expect(warningsOf(fields.replace('WHEN', `'task.Due < today() && task.Met < now() && task.Due != "2026-01-31"'`))).toEqual([]); // prettier-ignore
    const held = good.replace('{ name: New }', '{ name: New }\n      - { name: Held, enter: by_actions }');
    expect(warningsOf(held.replace(last, last + call('Tell', 'tries: 1')))).toEqual([]);
    expect(warningsOf(held.replace(last, last.replace('Done', 'Held')))).toEqual([]);
    expect(warningsOf(good.replace('{ name: New }', '{ name: New, enter: by_actions }'))).toEqual([]);
    expect(warningsOf(good.replace('actions: [finish]', 'admin: true'))).toEqual([]);
    expect(warningsOf(good.replace(/    roles:[^]*?    actions:/, '    actions:'))).toEqual([]);
    expect(warningsOf(good.replace(last, last + call('Tell', 'timeout_seconds: 99')))).toEqual([]);
    expect(warningsOf(when('task.Stage == "" || task.Stage < "A" || task["Salary"] == null'))).toEqual([]);
  });
});
