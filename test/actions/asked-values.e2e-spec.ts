import { startServiceWith } from '../support/service.js';

const definition = (more = ''): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }]
workflows:
  - id: loans
    name: Loans
    stages: [{ name: New }, { name: Approved, end: true }, { name: Rejected, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Wanted, type: currency }
      - { name: Approved Amount, type: currency, change: by_actions }
      - { name: Reason, type: text, change: by_actions }
      - { name: Contract, type: file }
      - { name: Fixed, type: text, editable: false }
      - { name: Needed By, type: date }
    actions:
      - id: approve
        name: Approve
        stages: [New]
        fields: [{ field: Approved Amount, required: true }, Needed By]
        requirements:
          required_fields: [Wanted, Needed By]
          conditions: [{ when: 'task["Approved Amount"] <= task["Wanted"]', message: Not more than is wanted }]
        steps: [{ name: Move, type: move_to_stage, stage: Approved }, { name: Say, type: comment, text: 'Approved {{Approved Amount}} of {{Wanted}}' }]
      - id: reject
        name: Reject
        fields: [{ field: Reason, required: true }]
        steps: [{ name: Move, type: move_to_stage, stage: Rejected }]
      - { id: sweep, name: Sweep, start: by_rules, steps: [{ name: Move, type: move_to_stage, stage: Rejected }] }
${more}`;

const { service, api } = await startServiceWith(definition());

// Rules: definition.md, "Asked values, locked stages, and what else two domains needed".
const loans = '/api/v1/workflows/loans/tasks';
const executions = '/api/v1/workflows/loans/executions';

const start = (task_id: string, action_id: string, fields?: unknown) =>
  api
    .post(executions, { task_id, action_id, performed_by: 'mina@acme.test', fields })
    .set('Prefer', 'wait=20');
const perform = async (...given: Parameters<typeof start>): Promise<unknown> => (await start(...given)).body;

it('the values are judged by requirements and written before the first step', async () => {
  await api.post(loans, { ID: 'a', Wanted: 100 }).expect(201);
  const asked = { 'Approved Amount': 80.5, 'Needed By': '2026-12-24' };
  expect(await perform('a', 'approve', asked)).toMatchObject({ status: 'Success' });
  const written = { 'Approved Amount': '80.50', 'Needed By': '2026-12-24', Stage: 'Approved' };
  expect(await api.read(`${loans}/a`)).toMatchObject(written);
  const said = { author: 'mina@acme.test', body: 'Approved 80.50 of 100.00' };
  expect(await api.read(`${loans}/a/comments`)).toMatchObject([said]);
});

it.each([
  [undefined, { 'Approved Amount': ['is required'] }],
  [{ 'Approved Amount': null }, { 'Approved Amount': ['is required'] }],
  [{ 'Approved Amount': 'x' }, { 'Approved Amount': ['is not a number such as 1234.56'] }],
  [
    { 'Approved Amount': 1, Reason: 'r', needed_by: 1 },
    {
      Reason: ['is not asked for by Approve'],
      needed_by: ['is not asked for by Approve; did you mean Needed By?'],
    },
  ],
  ['text', { fields: ['is not an object'] }],
])('all values are judged at once, before requirements: %j', async (fields, errors) => {
  await api.post(loans, { ID: 'w' });
  await start('w', 'approve', fields).expect(422, { errors });
});

it('unmet requirements have their own shape of answer', async () => {
  await api.post(loans, { ID: 'b', Wanted: 100 }).expect(201);
  const { body } = await start('b', 'approve', { 'Approved Amount': 101 }).expect(422);
  expect(body).toMatchObject({ errors: ['Needed By is required', 'Not more than is wanted'] });
  const given = { 'Approved Amount': 100, 'Needed By': '2026-12-24' };
  expect(await perform('b', 'approve', given)).toMatchObject({ status: 'Success' });
});

it('an action that asks for nothing refuses values', async () => {
  await service.apply(
    definition('      - { id: touch, name: Touch, steps: [{ name: Give, type: assign, to: performer }] }\n'),
  );
  await api.post(loans, { ID: 'c' }).expect(201);
  const errors = { Reason: ['is not asked for by Touch'] };
  await start('c', 'touch', { Reason: 'r' }).expect(422, { errors });
});

it('the list of actions shows the asked fields, which do not count as missing', async () => {
  await api.post(loans, { ID: 'e', Wanted: 7, 'Needed By': '2026-01-02' }).expect(201);
  const approve = {
    id: 'approve',
    name: 'Approve',
    fields: [
      { name: 'Approved Amount', type: 'currency', required: true, value: null },
      { name: 'Needed By', type: 'date', required: false, value: '2026-01-02' },
    ],
  };
  const reason = { name: 'Reason', type: 'text', required: true, value: null };
  const reject = { id: 'reject', name: 'Reject', fields: [reason] };
  expect(await api.read(`${loans}/e/actions`)).toEqual([approve, reject, { id: 'touch', name: 'Touch' }]);
  expect(await api.read(`${loans}/e/actions?_explain=true`)).toMatchObject([
    { ...approve, available: true, unmet: [] },
    { ...reject, available: true, unmet: [] },
    { id: 'touch' },
  ]);
});

// Rule: `start: by_rules`: not listed; POST is 422 `is started by rules`.
it('an action that rules start is not listed, and nobody else can start it', async () => {
  await api.post(loans, { ID: 'f' }).expect(201);
  const { body } = await start('f', 'sweep').expect(422);
  expect(body).toMatchObject({ errors: ['Sweep is started by rules'] });
});

it('a role that names such an action, and an asked field that no action can set, are refused', async () => {
  const asks = (field: string): string => `      - { id: x, name: X, fields: [{ field: ${field} }] }\n`;
  for (const [more, message] of [
    [
      '    roles: [{ id: clerk, name: Clerk, actions: [sweep] }]\n',
      'is started by rules, and by no role: sweep',
    ],
    [asks('ID'), 'is a uniqueId field, which no action can ask for: ID'],
    [asks('Contract'), 'is a file field, which no action can ask for: Contract'],
    [asks('Fixed'), 'has editable: false, so nothing can change it: Fixed'],
    [asks('Nose'), 'is not a field of workflow loans: Nose'],
  ] as const)
    await expect(service.apply(definition(more))).rejects.toThrow(message);
  const untyped = definition(asks('Nose')).replace('fields:', 'fields:\n      - { name: Nose }');
  await expect(service.apply(untyped)).rejects.not.toThrow('which no action can ask for');
});
