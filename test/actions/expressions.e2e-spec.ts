import { blocked } from '../support/blocked.js';
import { receiverOfFile } from '../support/receiver.js';
import { startServiceWith } from '../support/service.js';

const api = '/api/v1/workflows';

/** Claims under policies, and what is paid for them. */
const insurance = (id: string, url: string): string => `
workspace: { id: ${id} }
workflows:
  - id: policies
    name: Policies
    stages: [{ name: Open }]
    fields: [{ name: Policy ID, type: uniqueId, required: true }, { name: Limit, type: currency }]
  - id: payments
    name: Payments
    stages: [{ name: Open }, { name: Paid, end: true }]
    fields:
      - { name: Payment ID, type: uniqueId, required: true }
      - { name: Amount, type: currency }
      - { name: Remarks, type: longText }
  - id: claims
    name: Claims
    stages: [{ name: Open }, { name: Settled, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Phone, type: text }
      - { name: Notes, type: longText }
      - { name: Due, type: date }
      - { name: Settled At, type: datetime }
      - { name: Days, type: number }
      - { name: Amount, type: currency }
      - { name: Paid, type: currency }
    actions:
      - id: accept
        name: Accept
        requirements: { conditions: [{ when: 'task["Amount"] <= task["Policy"]["Limit"]', message: Must be within the limit }] }
        steps:
          - { name: Accept, type: move_to_stage, stage: Settled }
      - id: close
        name: Close
        requirements: { conditions: [{ when: 'task["Payments"].all(p, p["Stage"] == "Paid")', message: All payments must be paid }] }
        steps:
          - { name: Add up, type: update_fields, set: { Paid: { expression: 'sum(task["Payments"].map(p, p["Amount"]))' } } }
      - id: double
        name: Double
        steps:
          - name: Double
            type: update_linked_tasks
            relationship: payments
            set:
              Amount: { expression: 'linked["Amount"] * 2' }
              Remarks: { expression: 'linked["Stage"] + " of " + string(size(task["Payments"]))' }
      - id: remark
        name: Remark
        requirements: { conditions: [{ when: 'task.Payments.all(p, p.Remarks != "bad")', message: Has a bad remark }] }
      - id: call
        name: Call back
        requirements:
          conditions:
            - { when: 'task["Phone"].matches("^\\\\+[0-9 ]{6,20}$")', message: Phone is not a number }
            - { when: '!matches(task["Notes"], "((a+)+){1,4}$")', message: Notes end in a }
      - id: dial
        name: Dial
        requirements:
          conditions:
            - { when: 'task["Phone"] > task["Amount"]', message: Cannot be dialled }
            - { when: 'task["Payments"].all(p, p["Remarks"] > 5)', message: Has a bad remark }
      - id: settle
        name: Settle
        requirements: { conditions: [{ when: 'task["Due"] >= now().substring(0, 10)', message: Is overdue }] }
        steps:
          - name: Note
            type: update_fields
            set:
              Settled At: { expression: now() }
              Days: { expression: 'max(0, days_between(today(), task["Due"]))' }
          - { name: Tell, type: api_call, url: '${url}/settled', body: '{{Settled At}} {{Days}}' }
relationships:
  - { id: policy, kind: many_to_one, from: { workflow: claims, name: Policy }, to: { workflow: policies, name: Claims } }
  - { id: payments, kind: one_to_many, from: { workflow: claims, name: Payments }, to: { workflow: payments, name: Claim } }
`;

const receiver = await receiverOfFile();
const allowed = { WTS_OUTBOUND_ALLOW: '127.0.0.1/32' };
const { service, api: client } = await startServiceWith(insurance('insurer', receiver.url), allowed);

async function unmet(claim: string, action: string): Promise<unknown> {
  const { body } = await client.get(`${api}/claims/tasks/${claim}/actions?_explain=true`).expect(200);
  return (body as { id: string; unmet: string[] }[]).find(({ id }) => id === action)?.unmet;
}

async function perform(claim: string, action: string): Promise<{ status: string; errors?: string[] }> {
  const path = `${api}/claims/executions`;
  const { body } = await client.post(path, { task_id: claim, action_id: action }).set('Prefer', 'wait=20');
  const { status, errors } = body as { status: string; errors?: string[] };
  return { status, ...(errors && { errors }) };
}

const create = (workflow: string, task: object): PromiseLike<unknown> =>
  client.post(`${api}/${workflow}/tasks`, task).expect(201);

const update = (workflow: string, task: object): PromiseLike<unknown> =>
  client.put(`${api}/${workflow}/tasks`, task).expect(200);

const read = (workflow: string, id: string): Promise<Record<string, unknown>> =>
  client.read(`${api}/${workflow}/tasks/${id}`);

/** A claim with payments of these amounts, in a stage. */
async function claim(id: string, amounts: readonly number[], stage: string): Promise<void> {
  const ids = amounts.map((_, at) => `${id}-${at}`);
  for (const [at, Amount] of amounts.entries())
    await create('payments', { 'Payment ID': ids[at], Amount, Stage: stage });
  await create('claims', { 'Claim ID': id, Payments: ids.map((id) => ({ 'Payment ID': id })) });
}

// Rule: task["Policy"]["Limit"] is a field of the one task that is linked; null where there is none.
it('a condition reads the linked task', async () => {
  await create('policies', { 'Policy ID': 'p', Limit: 100 });
  await create('claims', { 'Claim ID': 'c', Amount: 120, Policy: { 'Policy ID': 'p' } });
  expect(await unmet('c', 'accept')).toEqual(['Must be within the limit']);
  expect(await perform('c', 'accept')).toEqual({ status: 'Fail', errors: ['Must be within the limit'] });
  await update('policies', { 'Policy ID': 'p', Limit: 120 });
  expect(await unmet('c', 'accept')).toEqual([]);
  expect(await perform('c', 'accept')).toEqual({ status: 'Success' });
  // A linked task that is deleted is none.
  await update('claims', { 'Claim ID': 'c', Stage: 'Open' });
  await client.delete(`${api}/policies/tasks/p`).expect(204);
  expect(await unmet('c', 'accept')).toEqual(['Must be within the limit']);
});

// Rule: what another workspace has under the same ids is never read.
it('a condition reads linked tasks of its own workspace only', async () => {
  const other = await service.clientOf(insurance('other', receiver.url));
  await other.post(`${api}/policies/tasks`, { 'Policy ID': 'w', Limit: 1000 }).expect(201);
  await create('policies', { 'Policy ID': 'w', Limit: 1 });
  await create('claims', { 'Claim ID': 'w', Amount: 5, Policy: { 'Policy ID': 'w' } });
  expect(await unmet('w', 'accept')).toEqual(['Must be within the limit']);
});

it('conditions and values read many linked tasks', async () => {
  await claim('many', [10.5, 20], 'Open');
  expect(await perform('many', 'close')).toEqual({ status: 'Fail', errors: ['All payments must be paid'] });
  for (const id of ['many-0', 'many-1']) await update('payments', { 'Payment ID': id, Stage: 'Paid' });
  expect(await perform('many', 'close')).toEqual({ status: 'Success' });
  expect(await read('claims', 'many')).toMatchObject({ Paid: '30.50' });
  // Of none everything is true.
  await claim('none', [], 'Open');
  expect(await perform('none', 'close')).toEqual({ status: 'Success' });
  expect(await read('claims', 'none')).toMatchObject({ Paid: '0.00' });
});

// Rule: what a condition reads is locked, so it holds at the moment when the execution takes effect.
it('an action waits for a linked task that changes meanwhile', async () => {
  await claim('late', [1], 'Paid');
  const stage = `SELECT s.id FROM stages s WHERE s.workspace_id = t.workspace_id AND s.workflow_id = t.workflow_id AND s.name = 'Open'`;
  const ending = await service.dataSource.transaction(async (tx) => {
    await tx.query(
      `UPDATE tasks t SET stage_id = (${stage}), version = version + 1 WHERE unique_value = 'late-0'`,
    );
    // To the first judgement the change does not show yet.
    const ending = perform('late', 'close');
    void ending.catch(() => undefined);
    await blocked(service.dataSource);
    return { ending };
  });
  expect(await ending.ending).toEqual({ status: 'Fail', errors: ['All payments must be paid'] });
});

// Rule: `update_linked_tasks` knows the linked task as `linked`.
it('each linked task gets values from its own fields', async () => {
  await claim('twice', [1.5, 20], 'Open');
  expect(await perform('twice', 'double')).toEqual({ status: 'Success' });
  expect(await read('payments', 'twice-0')).toMatchObject({ Amount: '3.00', Remarks: 'Open of 2' });
  expect(await read('payments', 'twice-1')).toMatchObject({ Amount: '40.00', Remarks: 'Open of 2' });
  // One that cannot be computed fails the step, and nothing is changed.
  await update('payments', { 'Payment ID': 'twice-1', Amount: null });
  expect(await perform('twice', 'double')).toMatchObject({ status: 'Fail' });
  expect(await read('payments', 'twice-0')).toMatchObject({ Amount: '3.00' });
});

// Rule: an expression reads 1,000 tasks of a relationship, and 2 MB of their values; else it says so.
it('linked tasks that are too many or too large are refused', async () => {
  await claim('huge', [1], 'Paid');
  await service.dataSource.query(`
      WITH base AS (SELECT t.*, l.relationship_id, l.kind, l.from_workflow_id, l.from_id FROM tasks t
        JOIN links l ON l.workspace_id = t.workspace_id AND l.to_id = t.id WHERE t.unique_value = 'huge-0'
      ), made AS (
        INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
        SELECT workspace_id, workflow_id, public_id || n, unique_value || '-' || n, stage_id, is_active, field_values
        FROM base, generate_series(1, 1000) n RETURNING workspace_id, workflow_id, id
      )
      INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
      SELECT m.workspace_id, b.relationship_id, b.kind, b.from_workflow_id, b.from_id, m.workflow_id, m.id
      FROM made m, base b`);
  const tooMany = 'more than 1,000 tasks are linked as Payments';
  expect(await unmet('huge', 'close')).toEqual([`All payments must be paid (${tooMany})`]);
  expect(await perform('huge', 'double')).toEqual({ status: 'Fail', errors: [`Double: ${tooMany}`] });

  const many = Array.from({ length: 11 }, (_, at) => at);
  await claim('large', many, 'Open');
  for (const at of many)
    await update('payments', { 'Payment ID': `large-${at}`, Remarks: 'x'.repeat(200_000) });
  const tooLarge = 'the tasks linked as Payments are too large';
  expect(await unmet('large', 'remark')).toEqual([`Has a bad remark (${tooLarge})`]);
  // Only what an expression reads counts.
  expect(await unmet('large', 'close')).toEqual(['All payments must be paid']);
});

// Rule: the reason why a condition cannot be evaluated is told, unless it is a blank value, or may hold linked values.
it('a condition that can never be evaluated says why', async () => {
  await claim('d', [1], 'Open');
  expect(await unmet('d', 'dial')).toEqual(['Cannot be dialled', 'Has a bad remark']);
  await update('claims', { 'Claim ID': 'd', Phone: '5', Amount: 4 });
  await update('payments', { 'Payment ID': 'd-0', Remarks: 'x' });
  const told = [
    'Cannot be dialled (no such overload: string > decimal)',
    'Has a bad remark (the condition cannot be evaluated)',
  ];
  expect(await unmet('d', 'dial')).toEqual(told);
  expect(await perform('d', 'dial')).toEqual({ status: 'Fail', errors: told });
});

// Rule: `matches` takes time in proportion to the text, whatever the pattern; where that is too much it says so.
it('`matches(text, "pattern")` takes RE2 syntax', async () => {
  await client.post(`${api}/claims/tasks`, { 'Claim ID': 'm', Phone: '+49 30 1234', Notes: 'x' }).expect(201);
  expect(await unmet('m', 'call')).toEqual([]);
  await update('claims', { 'Claim ID': 'm', Phone: 'none', Notes: `${'a'.repeat(5000)}!` });
  expect(await unmet('m', 'call')).toEqual(['Phone is not a number']);
  await update('claims', { 'Claim ID': 'm', Phone: null, Notes: 'a'.repeat(200_000) });
  expect(await unmet('m', 'call')).toEqual([
    'Phone is not a number',
    'Notes end in a (the condition takes too long to evaluate)',
  ]);
});

// Rule: `now()` is the moment when the execution began to run, in what it tells others as in what it writes.
it('`now()` is the same moment in the whole execution', async () => {
  await client.post(`${api}/claims/tasks`, { 'Claim ID': 'n', Due: '9999-12-31' }).expect(201);
  expect(await perform('n', 'settle')).toEqual({ status: 'Success' });
  const { body } = await client.get(`${api}/claims/tasks/n`).expect(200);
  const { 'Settled At': at, Days: days } = body as Record<string, string>;
  expect(receiver.of('/settled').map(({ body }) => body)).toEqual([`${at} ${days}`]);
  const listed = await client.get(`${api}/claims/executions?task_id=n&_verbose=true`).expect(200);
  expect(listed.body).toMatchObject([{ started: at }]);
  await update('claims', { 'Claim ID': 'n', Due: '2020-01-01' });
  expect(await perform('n', 'settle')).toEqual({ status: 'Fail', errors: ['Is overdue'] });
});
