import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdBy } from '../support/held-tasks.js';
import { startServiceWith } from '../support/service.js';

const vendors = '/api/v1/workflows/vendors/tasks';
const executions = '/api/v1/workflows/vendors/executions';

const { service, api } = await startServiceWith(
  await readFile(join(import.meta.dirname, '../fixtures/onboarding.yaml'), 'utf8'),
);

async function vendor(id: string, further: object = {}): Promise<void> {
  await api.post(vendors, { 'Vendor ID': id, 'Vendor Name': id, ...further }).expect(201);
}

/** Creates a vendor that meets all requirements of the approval. */
async function approvable(id: string): Promise<void> {
  const file = { filename: 'c.pdf', contentType: 'application/pdf', base64contents: 'AAAA' };
  await vendor(id, { Stage: 'In Review', 'Contract Value': 120, Contract: [file], 'Assigned To': 'theo@acme.test' }); // prettier-ignore
  const path = `${vendors}/${id}/checklist_items`;
  for (const item of await api.read<{ id: string }[]>(`${path}?Stage=In%20Review`))
    await api.put(`${path}/${item.id}`, { status: 'Completed' }).expect(200);
}

/** The execution when all that is due has run. */
async function ended(id: string): Promise<{ status: string; errors?: string[] }> {
  await service.settle();
  return api.read<{ status: string }>(`${executions}/${id}`);
}

async function start(body: object): Promise<string> {
  const answer = await api.post(executions, body).expect(202);
  const { id } = answer.body as { id: string };
  expect(answer.body).toEqual({ id, status: 'Pending' });
  expect(answer.headers['location']).toBe(`${executions}/${id}`);
  return id;
}

it('runs asynchronously: 202 with id and status, and then a GET shows the end', async () => {
  await vendor('s', { 'Assigned To': 'ines@acme.test' });
  const id = await start({ task_id: 's', action_id: 'start-review', performed_by: 'ines@acme.test' });
  expect(await ended(id)).toEqual({ id, status: 'Success' });
  expect(await api.read(`${vendors}/s`)).toMatchObject({ Stage: 'In Review' });
});

it('all steps change the task as one, and create the linked task', async () => {
  await approvable('a');
  const { headers } = await api.get(`${vendors}/a`);
  const today = (): string => new Date().toISOString().slice(0, 10);
  const before = today();
  const id = await start({ task_id: 'a', action_id: 'approve' });
  expect(await ended(id)).toEqual({ id, status: 'Success' });
  const { body, headers: after } = await api.get(`${vendors}/a`);
  expect(body).toMatchObject({
    Stage: 'Approved',
    Invoices: [{ 'Invoice ID': 'INV-a-1', Amount: '120.00', Stage: 'Open' }],
  });
  expect([before, today()]).toContain((body as Record<string, unknown>)['Approved On']);
  const version = (tag: string): number => Number(/"(\d+)-/.exec(tag)?.[1]);
  expect(version(String(after['etag']))).toBe(version(String(headers['etag'])) + 1);
});

it('requirements that are not met: 422 with status Fail and one message for each', async () => {
  await vendor('u', { Stage: 'In Review' });
  const { body } = await api.post(executions, { task_id: 'u', action_id: 'approve' }).expect(422);
  const errors = ['Contract Value is required', 'Contract is required', 'Checklist must be completed', 'Must be assigned']; // prettier-ignore
  expect(body).toEqual({ status: 'Fail', errors });
  expect(await api.refusal(executions, { task_id: 'u', action_id: 'start-review' })).toEqual([
    'Start review is not available in stage In Review',
  ]);
});

it.each([
  [{}, ['task_id is required', 'action_id is required']],
  [{ task_id: true, action_id: 'reject' }, ['task_id is not a text']],
  [{ task_id: 'x', action_id: 'reject', performed_by: 'no@acme.test' }, ['performed_by is not a user of this workspace']], // prettier-ignore
  [{ task_id: 'x', action_id: 'reject', performed_by: 5 }, ['performed_by is not a user of this workspace']],
])('missing and invalid parameters are refused: %j', async (sent, errors) => {
  expect(await api.refusal(executions, sent)).toEqual(errors);
});

it('other keys are refused, so that the performer is never confused with the key', async () => {
  for (const [name, hint] of [
    ['performer', '; did you mean performed_by?'],
    ['on_behalf_of', '; did you mean performed_by?'],
    ['Fields', '; did you mean fields?'],
    ['constructor', ''],
    ['Notes', ': send values for the action under the key fields'],
  ]) {
    const sent = { task_id: 'x', action_id: 'reject', [String(name)]: 'ines@acme.test' };
    expect(await api.refusal(executions, sent)).toEqual([`${name} is not a key of an execution${hint}`]);
  }
});

it('performed_by needs the permission', async () => {
  await vendor('p', { Notes: 'x' });
  const sent = { task_id: 'p', action_id: 'reject', performed_by: 'ines@acme.test' };
  expect(await api.refusal(executions, sent)).toEqual([
    'ines@acme.test may not perform Reject: Administrator (mina@acme.test), Reviewer (theo@acme.test) may',
  ]);
  expect(await ended(await start({ ...sent, performed_by: 'THEO@acme.test' }))).toMatchObject({ status: 'Success' }); // prettier-ignore
  expect(await api.read(`${vendors}/p`)).toMatchObject({ Stage: 'Rejected', 'Assigned To': null });
});

it('an unknown task, action, execution or workflow is 404', async () => {
  await vendor('n');
  await api.post(executions, { task_id: 'none', action_id: 'reject' }).expect(404);
  await api.post(executions, { task_id: 'n', action_id: 'none' }).expect(404);
  await api.get(`${executions}/none`).expect(404);
  await api.delete(`${executions}/none`).expect(404);
  await api.post('/api/v1/workflows/none/executions', {}).expect(404);
});

it('a step that fails leaves the task as it was, and is named', async () => {
  await approvable('f');
  await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': 'INV-f-1', Amount: 1 }).expect(201);
  const before = await api.get(`${vendors}/f`);
  const id = await start({ task_id: 'f', action_id: 'approve' });
  const errors = ['Open the first invoice: Invoices INV-f-1 exists already'];
  expect(await ended(id)).toEqual({ id, status: 'Fail', errors });
  const after = await api.get(`${vendors}/f`);
  expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
  expect(await api.read(`${executions}/${id}?_verbose=true`)).toMatchObject({
    action: { id: 'approve', name: 'Approve' },
    performed_by: null,
    definition: 1,
    steps: [
      { name: 'Note the day', status: 'Undone' },
      { name: 'Open the first invoice', status: 'Fail' },
      { name: 'Approve', status: 'Skipped' },
    ],
  });
});

it('of ten simultaneous executions that only one can perform, one succeeds and the others fail', async () => {
  await approvable('once');
  const sent = { task_id: 'once', action_id: 'approve' };
  const begun = await Promise.all(Array.from({ length: 10 }, () => start(sent)));
  await service.settle();
  const ends = await Promise.all(begun.map(ended));
  expect(ends.filter(({ status }) => status === 'Success')).toHaveLength(1);
  for (const { status, errors } of ends)
    if (status === 'Fail') expect(errors).toEqual(['Approve is not available in stage Approved']);
  expect(await api.read(`${vendors}/once`)).toMatchObject({ Invoices: [{ 'Invoice ID': 'INV-once-1' }] });
});

it('`Prefer: wait=N` holds the answer until the execution ends', async () => {
  await vendor('w', { Notes: 'x' });
  const answer = await api.post(executions, { task_id: 'w', action_id: 'reject' }).set('Prefer', 'wait=25').expect(200); // prettier-ignore
  const { id } = answer.body as { id: string };
  expect([answer.body, answer.headers['preference-applied']]).toEqual([{ id, status: 'Success' }, 'wait=25']);
  await api.get(`${executions}/${id}`).set('Prefer', 'respond-async, wait=5').expect(200);
});

it('`Idempotency-Key`: the same request gives the same execution, another body is 409', async () => {
  await vendor('i', { Notes: 'x' });
  const sent = { task_id: 'i', action_id: 'reject' };
  const post = (body: object) => api.post(executions, body).set('Idempotency-Key', 'k1');
  const first = await post(sent).expect(202);
  const { id } = first.body as { id: string };
  await ended(id);
  // It would be refused by now, for the stage is another.
  const again = await post(sent).expect(200);
  expect(again.body).toEqual({ id, status: 'Success' });
  const { location } = first.headers;
  expect(again.headers).toMatchObject({ location });
  await post({ ...sent, action_id: 'approve' }).expect(409);
});

it('`Idempotency-Key`: while the first request is being answered, another is 409 of its own type', async () => {
  await vendor('in use', { Notes: 'x' });
  const sent = { task_id: 'in use', action_id: 'reject' };
  const post = () => api.post(executions, sent).set('Idempotency-Key', 'in use');
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('in use', id)) FROM workspaces`;
  const release = await holdBy(service.dataSource, lock);
  expect((await post().expect(409)).body).toMatchObject({ type: 'idempotency-key-in-use' });
  await release();
  await post().expect(202);
});

it('the list is newest first, and can be filtered by task and status, page by page', async () => {
  await vendor('l', { Notes: 'x', 'Assigned To': 'mina@acme.test' });
  const one = await start({ task_id: 'l', action_id: 'start-review' });
  await ended(one);
  const two = await start({ task_id: 'l', action_id: 'reject' });
  await ended(two);
  expect(await api.read(`${executions}?task_id=l`)).toEqual([
    { id: two, status: 'Success' },
    { id: one, status: 'Success' },
  ]);
  const page = await api.get(`${executions}?task_id=l&_limit=1`).expect(200);
  expect(page.body).toEqual([{ id: two, status: 'Success' }]);
  const next = new URL(/<(.*)>/.exec(String(page.headers['link']))?.[1] ?? '');
  expect(await api.read(next.pathname + next.search)).toEqual([{ id: one, status: 'Success' }]);
  expect(await api.read(`${executions}?task_id=l&status=Fail`)).toEqual([]);
  await api.get(`${executions}?status=Open`).expect(422);
  await api.get(`${executions}?task_id=none`).expect(404);
});

it('DELETE cancels only an execution that has not begun', async () => {
  await vendor('c', { Notes: 'x' });
  const id = await start({ task_id: 'c', action_id: 'reject' });
  await api.delete(`${executions}/${id}`).expect(204);
  expect(await ended(id)).toMatchObject({ status: 'Fail', errors: ['was cancelled'] });
  await api.delete(`${executions}/${id}`).expect(409);
  expect(await api.read(`${vendors}/c`)).toMatchObject({ Stage: 'New' });
});
