import { readFileSync } from 'node:fs';
import { renderChange, diffDefinitions } from '../../../../src/workflows/definition/merge/diff.js';
import { mergeDefinitions } from '../../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../../src/workflows/definition/source/read-definition.js';

const onboarding = readFileSync(new URL('../../../fixtures/onboarding.yaml', import.meta.url), 'utf8');
const stored = mergeDefinitions(undefined, readDefinition(onboarding, 'f').definition);

function changesOf(text: string): string[] {
  const file = readDefinition(`workspace: { id: acme }\n${text}`, 'f').definition;
  return diffDefinitions(stored, mergeDefinitions(stored, file)).map(renderChange);
}

// Of the action `approve` of vendors, which is what it was but for these texts.
function alterationsOf(...edits: readonly (readonly [string, string])[]): unknown {
  const text = edits.reduce((all, [from, to]) => all.replace(from, to), onboarding);
  expect(text).not.toBe(onboarding);
  const changes = diffDefinitions(stored, mergeDefinitions(stored, readDefinition(text, 'f').definition));
  expect(changes).toHaveLength(1);
  return changes[0]?.alterations;
}

describe('diffDefinitions', () => {
  it('lists what a new workspace has', () => {
    expect(diffDefinitions(undefined, stored).map(renderChange)).toEqual([
      'add workspace acme',
      'add user mina@acme.test',
      'add user theo@acme.test',
      'add user ines@acme.test',
      'add workflow vendors (stages: 4, fields: 16, checklist: 3, roles: 3, members: 3, actions: 3)',
      'add workflow invoices (stages: 2, fields: 3, actions: 1)',
      'add relationship invoices',
    ]);
  });

  it('lists every kind of change, from top to bottom', () => {
    const text = `
users: [{ email: minna@acme.test, was: mina@acme.test, first_name: Minna, last_name: Ray }]
workflows:
  - id: invoices
    name: Bills
    stages: [{ name: Paid }, { name: Open }]
    fields:
      - { name: Total, was: Amount, type: number, required: true, decimals: 2 }
      - { name: Remark, type: text }
    checklist: [{ title: Stamp it, stage: Open }]
    actions: [{ id: pay, name: Pay, stages: [Open] }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: invoices, name: Parts }, to: { workflow: invoices, name: Whole } }
`;
    expect(changesOf(text)).toEqual([
      'rename user mina@acme.test to minna@acme.test',
      'change user minna@acme.test (first_name from Mina to Minna)',
      'change workflow invoices (name from Invoices to Bills)',
      'change stage invoices / Paid (end from true to false)',
      'change workflow invoices (order of stages)',
      'rename field invoices / Amount to Total',
      'change field invoices / Total (type from currency to number)',
      'add field invoices / Remark',
      'add checklist item invoices / Open / Stamp it',
      'change action invoices / pay (requirements, steps)',
      'add relationship parts',
    ]);
  });

  it('shows a pure rename as such, without its consequences', () => {
    const text =
      'workflows: [{ id: vendors, name: Vendors, stages: [{ name: Fresh, was: New }], checklist: [{ title: Write, was: Send the welcome letter, stage: Approved }] }]';
    expect(changesOf(text)).toEqual([
      'rename stage vendors / New to Fresh',
      'rename checklist item vendors / Approved / Send the welcome letter to Write',
    ]);
  });
});

describe('a change names the changed settings of an action, a role or a field', () => {
  it('and values at any depth', () => {
    expect(
      alterationsOf(
        ["{ expression: 'today()' }", "{ expression: 'add_days(today(), 1)' }"],
        ['type: create_linked_task,', 'type: create_linked_task, side: from,'],
      ),
    ).toEqual([
      { at: 'steps["Note the day"].set["Approved On"].expression', before: 'today()', after: 'add_days(today(), 1)' },
      { at: 'steps["Open the first invoice"].side', after: 'from' },
    ]); // prettier-ignore
  });

  it('and members of a list that were added, removed or moved', () => {
    const free = '          - { name: Free the owner, type: assign, to: nobody }\n';
    const move = '          - { name: Reject, type: move_to_stage, stage: Rejected }\n';
    expect(alterationsOf([move + free, free])).toEqual([
      { at: 'steps["Reject"]', before: { name: 'Reject', type: 'move_to_stage', stage: 'Rejected' } },
    ]);
    expect(alterationsOf([move + free, free + move])).toEqual([
      { at: 'steps', before: ['Reject', 'Free the owner'], after: ['Free the owner', 'Reject'] },
    ]);
    expect(alterationsOf(['options: [Low, Medium, High]', 'options: [Low, Highest, High]'])).toEqual([
      { at: 'options', before: 'Medium' },
      { at: 'options', after: 'Highest', relaxes: true },
    ]);
  });
});
