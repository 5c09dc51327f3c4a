import { rules } from '../../../../src/automation/rules/rules.kind.js';
import { schedules } from '../../../../src/automation/schedules/schedules.kind.js';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { checkDefinition } from '../../../../src/workflows/definition/check/check-definition.js';
import { type WorkspaceDefinition } from '../../../../src/workflows/model/definition.js';
import { diffDefinitions } from '../../../../src/workflows/definition/merge/diff.js';
import { mergeDefinitions, mergeList } from '../../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../../src/workflows/definition/source/read-definition.js';

const onboarding = readFileSync(new URL('../../../fixtures/onboarding.yaml', import.meta.url), 'utf8');
const stored = mergeDefinitions(undefined, readDefinition(onboarding, 'f').definition);

function merge(text: string, onto = stored): WorkspaceDefinition {
  const source = readDefinition(`workspace: { id: acme }\n${text}`, 'f');
  const merged = mergeDefinitions(onto, source.definition);
  checkDefinition(merged, source);
  return merged;
}

/** What the database gives back of a merged definition. */
function afterStoring(merged: WorkspaceDefinition): WorkspaceDefinition {
  return JSON.parse(JSON.stringify(merged), (key, value: unknown) =>
    ['was', 'removed_stages'].includes(key) ? undefined : value,
  ) as WorkspaceDefinition;
}

describe('mergeDefinitions', () => {
  it('keeps everything that the file does not name', () => {
    expect(merge('')).toEqual(stored);
    expect(merge('workflows: [{ id: vendors, name: Vendors }]')).toEqual(stored);
  });

  it('takes name and time zone from the file, and keeps those that the file lacks', () => {
    const zoned = { ...stored, workspace: { id: 'acme', name: 'Acme Inc', timezone: 'Europe/Berlin' } };
    expect(merge('', zoned).workspace).toEqual(zoned.workspace);
    const file = readDefinition('workspace: { id: acme, name: New, timezone: UTC }', 'f').definition;
    expect(mergeDefinitions(zoned, file).workspace).toEqual({ id: 'acme', name: 'New', timezone: 'UTC' });
  });

  it('replaces the contents of an element', () => {
    const merged = merge('workflows: [{ id: invoices, name: Bills, actions: [{ id: pay, name: Settle }] }]');
    const invoices = merged.workflows[1];
    expect(invoices?.name).toBe('Bills');
    expect(invoices?.actions).toEqual([
      { id: 'pay', name: 'Settle', stages: [], requirements: {}, steps: [] },
    ]);
    expect(invoices?.fields).toEqual(stored.workflows[1]?.fields);
  });

  it('finds users and members in any case, and spells members like the users', () => {
    const merged = merge(
      'users: [{ email: MINA@acme.test }]\nworkflows: [{ id: vendors, name: Vendors, members: [{ email: Ines@Acme.test, role: reviewer }] }]',
    );
    const emails = ['MINA@acme.test', 'theo@acme.test', 'ines@acme.test'];
    expect(merged.users.map(({ email }) => email)).toEqual(emails);
    expect(merged.workflows[0]?.members[2]).toEqual({ email: 'ines@acme.test', role: 'reviewer' });
    const respelled = merge('users: [{ email: INES@acme.test }]', merged);
    expect(respelled.workflows[0]?.members[2]).toMatchObject({ email: 'INES@acme.test' });
  });

  it('finds template items by stage and title', () => {
    const items = (text: string) =>
      merge(`workflows: [{ id: vendors, name: Vendors, checklist: [${text}] }]`).workflows[0]?.checklist;
    expect(items('{ title: Check the company register, stage: In Review }')).toHaveLength(3);
    expect(items('{ title: Check the company register, stage: New }')).toHaveLength(4);
    expect(items('{ title: Check it, was: Check the company register, stage: In Review }')).toHaveLength(3);
  });
});

describe('`was`', () => {
  const renames = `
users: [{ email: minna@acme.test, was: Mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: Checking, was: In Review }]
    fields: [{ name: Value, was: Notes, type: longText }]
    checklist: [{ title: Check it, was: Check the company register, stage: Checking }]
  - id: invoices
    name: Invoices
    fields: [{ name: Number, was: Invoice ID, type: uniqueId, required: true }]
`;

  it('renames an element and the stored references', () => {
    const [vendors, invoices] = merge(renames).workflows;
    expect(vendors?.stages[1]).toMatchObject({ name: 'Checking', was: 'In Review' });
    expect(vendors?.checklist.map(({ title, stage }) => [title, stage])).toEqual([
      ['Check it', 'Checking'],
      ['Screen against sanctions lists', 'Checking'],
      ['Send the welcome letter', 'Approved'],
    ]);
    expect(vendors?.members[0]?.email).toBe('minna@acme.test');
    expect(vendors?.actions[0]?.steps[0]).toMatchObject({ name: 'Take it up', stage: 'Checking' });
    expect(vendors?.actions[2]?.stages).toEqual(['New', 'Checking']);
    expect(vendors?.actions[2]?.requirements.required_fields).toEqual(['Value']);
    expect(vendors?.actions[1]?.steps[1]).toMatchObject({
      set: { Number: 'INV-{{Vendor ID}}-1', Amount: '{{Contract Value}}' },
    });
    expect(invoices?.fields[0]).toMatchObject({ name: 'Number', was: 'Invoice ID' });
  });

  it('renames in rules that run actions of linked tasks, and in values of new tasks', () => {
    const automated = merge(`
workflows:
  - id: invoices
    name: Invoices
    actions: [{ id: pay, name: Pay, fields: [Due Date] }]
  - id: vendors
    name: Vendors
    rules:
      - { id: settle, on: created, of: Invoices, run: pay, fields: { Due Date: '2030-01-01' } }
    schedules:
      - id: yearly
        cron: '0 7 1 1 *'
        create: { Vendor ID: 'V-{{date}}', Vendor Name: A, Stage: In Review, Assigned To: MINA@acme.test }
`);
    const file = `
users: [{ email: minna@acme.test, was: mina@acme.test }]
workflows:
  - id: invoices
    name: Invoices
    fields: [{ name: Due, was: Due Date, type: date }]
    actions: [{ id: settle, was: pay, name: Settle, fields: [Due] }]
  - { id: vendors, name: Vendors, stages: [{ name: Checking, was: In Review }] }
`;
    const vendors = merge(file, automated).workflows[1] ?? {};
    expect(rules.in(vendors)).toMatchObject([{ run: 'settle', fields: { Due: '2030-01-01' } }]);
    expect(schedules.in(vendors)).toMatchObject([
      { create: { 'Vendor Name': 'A', Stage: 'Checking', 'Assigned To': 'minna@acme.test' } },
    ]);
  });

  it('makes a new element if the former name is unknown', () => {
    const fields = merge(
      'workflows: [{ id: invoices, name: Invoices, fields: [{ name: A, was: B, type: text }] }]',
    ).workflows[1]?.fields;
    expect(fields?.at(-1)).toEqual({ name: 'A', type: 'text', required: false, editable: true });
  });

  it('gives a name to another element within one file', () => {
    const file =
      'workflows: [{ id: invoices, name: Invoices, stages: [{ name: Paid, was: Open }, { name: Closed, was: Paid, end: true }], actions: [{ id: pay, name: Pay }] }]';
    const once = merge(file);
    const stages = [
      { name: 'Paid', was: 'Open' },
      { name: 'Closed', was: 'Paid' },
    ];
    expect(once.workflows[1]?.stages).toMatchObject(stages);
  });
});

describe('the order of a merged list', () => {
  it.each([
    ['abc', 'cab', 'cab'],
    ['abc', 'cabd', 'cabd'],
    ['abc', 'bd', 'abdc'],
    ['abc', 'db', 'adbc'],
    ['abc', 'de', 'abcde'],
    ['abc', 'cda', 'abcd'],
    ['', 'ba', 'ba'],
    ['ab', '', 'ab'],
  ])('%s and the file %s make %s', (before, file, after) => {
    expect(mergeList([...before], [...file], (letter) => letter).join('')).toBe(after);
  });
});

describe('any two definitions', () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D', '__proto__');
  const named = fc.record({ name, was: fc.option(name, { nil: undefined }) });
  const list = <T>(element: fc.Arbitrary<T>, selector: (element: T) => string) =>
    fc.uniqueArray(element, { maxLength: 4, selector });
  const flag = fc.boolean();
  const workflow = fc.record({
    id: fc.constantFrom('v', 'w'),
    name,
    stages: list(
      fc.tuple(named, flag).map(([stage, end]) => ({ ...stage, end })),
      (stage) => stage.name,
    ),
    fields: list(
      fc.tuple(named, flag).map(([field, required]) => ({ ...field, type: 'text', required })),
      (field) => field.name,
    ),
    actions: list(
      fc.record({ id: name, name, stages: fc.array(name, { maxLength: 2 }) }),
      (action) => action.id,
    ),
  });
  const document = fc.record({
    workspace: fc.record({ id: fc.constant('acme') }),
    users: list(fc.record({ email: name, was: fc.option(name, { nil: undefined }) }), (user) =>
      user.email.toLowerCase(),
    ),
    workflows: list(workflow, (each) => each.id),
  });
  const definition = document.map((content) => readDefinition(JSON.stringify(content), 'f').definition);

  it('do not change when they are merged again', () => {
    fc.assert(
      fc.property(definition, definition, (former, file) => {
        const before = afterStoring(mergeDefinitions(undefined, former));
        const merged = mergeDefinitions(before, file);
        const after = afterStoring(merged);
        expect(mergeDefinitions(after, file)).toEqual(after);
        expect(diffDefinitions(after, mergeDefinitions(after, file))).toEqual([]);
        expect(diffDefinitions(before, merged).length === 0).toBe(
          JSON.stringify(before) === JSON.stringify(after),
        );
      }),
    );
  });
});

describe('the notifications of a workspace', () => {
  const told = stored.notifications;
  it('are merged by reason, and removed if a pruning file does not mention them', () => {
    expect(told).toBeUndefined();
    const first = merge('notifications: { watching: inbox, due: off }');
    expect(first.notifications).toEqual({ watching: 'inbox', due: 'off' });
    const second = merge('notifications: { due: mail }', first);
    expect(second.notifications).toEqual({ watching: 'inbox', due: 'mail' });
    expect(merge('', second).notifications).toEqual(second.notifications);
    const { definition } = readDefinition('workspace: { id: acme }', 'f');
    expect(mergeDefinitions(second, definition, { isPruning: true }).notifications).toBeUndefined();
  });

  it('are shown as a change of the workspace', () => {
    const merged = merge('notifications: { watching: inbox }');
    expect(diffDefinitions(stored, merged).map(({ kind, what, detail }) => [kind, what, detail])).toEqual([
      ['change', 'workspace', expect.stringContaining('notifications') as string],
    ]);
    expect(diffDefinitions(merged, merge('', merged))).toEqual([]);
  });
});
