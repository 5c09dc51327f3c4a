import { readFileSync } from 'node:fs';
import { renderChange, diffDefinitions } from '../../../../src/definitions/merge/diff.js';
import { mergeDefinitions } from '../../../../src/definitions/merge/merge-definitions.js';
import { readDefinition } from '../../../../src/definitions/source/read-definition.js';

const onboarding = readFileSync(new URL('../../../fixtures/onboarding.yaml', import.meta.url), 'utf8');
const stored = mergeDefinitions(undefined, readDefinition(onboarding, 'f').definition);

function changesOf(text: string): string[] {
  const file = readDefinition(`workspace: { id: acme }\n${text}`, 'f').definition;
  return diffDefinitions(stored, mergeDefinitions(stored, file)).map(renderChange);
}

describe('diffDefinitions', () => {
  it('tells what a new workspace holds', () => {
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

  it('is empty between equals', () => {
    expect(diffDefinitions(stored, stored)).toEqual([]);
    expect(changesOf('')).toEqual([]);
  });

  it('tells every kind of change, from top to bottom', () => {
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

  it('tells a pure rename as such, and nothing of what follows from it', () => {
    const text =
      'workflows: [{ id: vendors, name: Vendors, stages: [{ name: Fresh, was: New }], checklist: [{ title: Write, was: Send the welcome letter, stage: Approved }] }]';
    expect(changesOf(text)).toEqual([
      'rename stage vendors / New to Fresh',
      'rename checklist item vendors / Approved / Send the welcome letter to Write',
    ]);
  });

  it('tells what is gone', () => {
    expect(diffDefinitions(stored, { ...stored, relationships: [] }).map(renderChange)).toEqual([
      'remove relationship invoices',
    ]);
  });
});
