import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { edited, faultsOf, storedAs } from '../checked.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const onboarding = fixture('onboarding.yaml');
const refusals = parse(fixture('refusals.yaml')) as {
  readonly fields: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, string>>;
  readonly texts: readonly { readonly replace: string; readonly by: string; readonly fault: string }[];
};

const due = '- { name: Due Date, type: date }';

const step = (rest: string): [string, string] => [
  '    actions:\n      - id: pay\n',
  `    actions:\n      - { id: a, name: A, steps: [{ name: S, ${rest} }] }\n      - id: pay\n`,
];

describe('a definition is refused for', () => {
  it.each(refusals.texts)('$by: $fault', ({ replace, by, fault }) => {
    expect(faultsOf(edited(onboarding, replace, by))).toContain(fault);
  });

  it.each(Object.entries(refusals.fields))('the field %s: %s', (field, fault) => {
    const faults = faultsOf(edited(onboarding, due, `- { ${field} }`));
    expect(faults).toContain(`f:93: workflows[1].fields[2].${fault}`);
  });

  it.each(Object.entries(refusals.steps))('the step %s: %s', (rest, fault) => {
    const faults = faultsOf(edited(onboarding, ...step(rest)));
    expect(faults).toContain(`f:95: workflows[1].actions[0].steps[0].${fault}`);
  });

  it('a step without a side if both ends are its workflow', () => {
    const itself = edited(
      onboarding,
      'from: { workflow: vendors, name: Invoices }',
      'from: { workflow: invoices, name: Copies }',
    );
    const [from, to] = step('type: update_linked_tasks, relationship: invoices, set: { Amount: 1 }');
    const fault =
      'f:95: workflows[1].actions[0].steps[0].side: is required because both ends are this workflow';
    expect(faultsOf(itself.replace(from, to))).toContain(fault);
    expect(faultsOf(itself.replace(from, to.replace('set:', 'side: to, set:')))).not.toContain(fault);
  });

  it('every fault at once, by line, without faults that follow from another fault', () => {
    const text = onboarding
      .replace('id: acme,', 'id: Acme, color: red,')
      .replace('type: longText', 'type: novel')
      .replace('stages: [New, In Review]', 'stages: [New, Gone]')
      .replace('task["Amount"] > 0', 'task["Amount"] >');
    expect(faultsOf(text)).toEqual([
      'f:2: workspace.color: is not known here; known keys are: id, name, timezone',
      'f:2: workspace.id: may hold 1 to 64 lower-case letters, digits and - only',
      expect.stringMatching(/^f:20: workflows\[0\]\.fields\[2\]\.type: is not one of: text, /),
      'f:78: workflows[0].actions[2].stages[1]: is not a stage of workflow vendors: Gone',
      'f:100: workflows[1].actions[0].requirements.conditions[0].when: is not an expression: Unexpected token: EOF at character 17, after task["Amount"] >',
    ]);
  });
});

describe('a definition is accepted with', () => {
  it.each<[string, [string, string]]>([
    [
      'names that JavaScript knows',
      [
        due,
        '- { name: constructor, type: text, default: a }\n      - { name: toString, type: singleSelect, options: [__proto__, valueOf], default: __proto__ }',
      ],
    ],
    [
      'Stage and Assigned To of a linked task',
      ["Amount: '{{Contract Value}}'", 'Amount: 1, Stage: Paid, Assigned To: Theo@acme.test'],
    ],
    ['a number in set', ["Amount: '{{Contract Value}}'", 'Amount: 12.50']],
    ['templates of built-ins', ["'INV-{{Vendor ID}}-1'", "'{{Stage}} {{ Assigned To }} {{Task URL}}'"]],
    [
      'a url from a secret',
      step(
        'type: api_call, url: "{{secret.BASE}}/x/{{Amount}}?a={{Stage}}", headers: { Authorization: "Bearer {{secret.TOKEN}}" }, body: { a: "{{Amount}}", b: [1.5, true, null] }',
      ),
    ],
    [
      'host and port from secrets',
      step(
        'type: api_call, url: "https://{{secret.HOST}}.a.test:{{secret.PORT}}/{{Amount}}", method: PUT, tries: 1',
      ),
    ],
    [
      'defaults of many kinds',
      [
        due,
        '- { name: A, type: number, default: 12345678901234567890.123456789 }\n      - { name: B, type: checkbox, default: false }\n      - { name: C, type: multipleSelect, options: [X, "1"], default: [1] }\n      - { name: D, type: person, default: MINA@acme.test }\n      - { name: E, type: text, default: "" }',
      ],
    ],
  ])('%s', (_, [from, to]) => {
    expect(faultsOf(edited(onboarding, from, to))).toEqual([]);
  });
});

describe('a definition merged into a stored one', () => {
  const stored = storedAs(onboarding);
  const head = 'workspace: { id: acme }\nworkflows:\n  - id: vendors\n    name: Vendors\n';

  it('names the stored elements that the file breaks', () => {
    expect(faultsOf(`${head}    fields: [{ name: Danger, was: Risk, type: text }]\n`, { stored })).toEqual([
      'in force, and not in this file: workflows.vendors.actions.approve.requirements.conditions[0].when: reads an unknown field of workflow vendors: Risk, which this file renames to Danger',
    ]);
  });

  it('follows renames in stored elements', () => {
    const text = `${head}    stages: [{ name: Fresh, was: New }]\n    fields: [{ name: Remarks, was: Notes, type: longText }]\n`;
    expect(faultsOf(text, { stored })).toEqual([]);
  });

  it('blames the element of the file if a stored element already has the name', () => {
    const relationship =
      'relationships:\n  - id: more\n    kind: one_to_one\n    from: { workflow: vendors, name: Notes }\n';
    expect(
      faultsOf(`${head}${relationship}    to: { workflow: invoices, name: Note }\n`, { stored }),
    ).toEqual(['f:8: relationships[0].from.name: is the name of another field or relationship']);
  });
});
