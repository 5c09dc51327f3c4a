import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServiceWith } from '../support/service.js';

const vendors = '/api/v1/workflows/vendors/tasks';

const { api } = await startServiceWith(
  await readFile(join(import.meta.dirname, '../fixtures/onboarding.yaml'), 'utf8'),
);

async function create(id: string, further: object = {}): Promise<string> {
  await api.post(vendors, { 'Vendor ID': id, 'Vendor Name': id, ...further }).expect(201);
  return `${vendors}/${id}/actions`;
}

async function explain(path: string, query = ''): Promise<Record<string, string[]>> {
  const { body } = await api.get(`${path}?_explain=true${query}`).expect(200);
  const actions = body as { id: string; available: boolean; unmet: string[] }[];
  for (const { available, unmet } of actions) expect(available).toBe(unmet.length === 0);
  return Object.fromEntries(actions.map(({ id, unmet }) => [id, unmet]));
}

async function complete(id: string, stage: string): Promise<void> {
  const path = `${vendors}/${id}/checklist_items`;
  for (const [n, item] of (await api.read<{ id: string }[]>(`${path}?Stage=${stage}`)).entries())
    await api.put(`${path}/${item.id}`, { status: n ? 'Skipped' : 'Completed' }).expect(200);
}

it('GET lists those available in the task’s stage, in definition order: exactly {id, name}', async () => {
  const path = await create('listed');
  expect((await api.get(path).expect(200)).text).toBe('[{"id":"start-review","name":"Start review"},{"id":"reject","name":"Reject"}]'); // prettier-ignore
  await api.put(vendors, { 'Vendor ID': 'listed', Stage: 'In Review' }).expect(200);
  expect(await api.read(path)).toEqual([
    { id: 'approve', name: 'Approve' },
    { id: 'reject', name: 'Reject' },
  ]);
  await api.put(vendors, { 'Vendor ID': 'listed', Stage: 'Rejected' }).expect(200);
  expect(await api.read(path)).toEqual([]);
});

it('`_explain=true` lists the reasons against every action, in the order of the requirements', async () => {
  const path = await create('explained', { Stage: 'In Review', Risk: 'High' });
  expect(await explain(path)).toEqual({
    'start-review': ['Start review is not available in stage In Review'],
    approve: [
      'Contract Value is required',
      'Contract is required',
      'Checklist must be completed',
      'Must be assigned',
      'High risk needs an administrator',
    ],
    reject: ['Notes is required'],
  });
});

it('a requirement that is met is not listed', async () => {
  const path = await create('met', { Stage: 'In Review', Risk: 'High', 'Contract Value': 5 });
  const file = { filename: 'c.pdf', contentType: 'application/pdf', base64contents: 'AAAA' };
  const [open, risky] = ['Checklist must be completed', 'High risk needs an administrator'];
  const steps: [object, unknown[]][] = [
    [{ Contract: [file] }, [open, 'Must be assigned', risky]],
    [{ 'Assigned To': 'theo@acme.test' }, [open, risky]],
    [{ Risk: 'Low' }, [open]],
  ];
  for (const [change, unmet] of steps) {
    await api.put(vendors, { 'Vendor ID': 'met', ...change }).expect(200);
    expect((await explain(path))['approve']).toEqual(unmet);
  }
  // Items of other stages do not count, and a skipped one is done.
  await complete('met', 'In%20Review');
  expect((await explain(path))['approve']).toEqual([]);
});

it('`performed_by` lists the actions as that user would see them', async () => {
  const path = await create('seen', { Stage: 'In Review', Notes: 'x', Risk: 'High' });
  const as = (email: string): string => `&performed_by=${email}`;
  // An administrator may everything, a reviewer has the action, an agent has it not.
  expect((await explain(path, as('mina@acme.test')))['approve']).not.toContain(
    'High risk needs an administrator',
  );
  expect((await explain(path, as('theo@acme.test')))['reject']).toEqual([]);
  expect((await explain(path, as('INES@acme.test')))['reject']).toEqual([
    'ines@acme.test may not perform Reject: Administrator (mina@acme.test), Reviewer (theo@acme.test) may',
  ]);
  expect(await api.read(`${path}?performed_by=ines@acme.test`)).toEqual([]);
  expect(await api.read(`${path}?performed_by=theo@acme.test`)).toHaveLength(2);
});

it('a role that sees only tasks assigned to its holder performs actions on no others', async () => {
  const path = await create('sees');
  const query = '?performed_by=ines@acme.test';
  expect(await api.read(path + query)).toEqual([]);
  await api.put(vendors, { 'Vendor ID': 'sees', 'Assigned To': 'ines@acme.test' }).expect(200);
  expect(await api.read(path + query)).toEqual([{ id: 'start-review', name: 'Start review' }]);
});

it('a workflow without roles lets every user of the workspace perform its actions', async () => {
  const path = '/api/v1/workflows/invoices/tasks';
  await api.post(path, { 'Invoice ID': 'i', Amount: 0 }).expect(201);
  expect(await explain(`${path}/i/actions`, '&performed_by=ines@acme.test')).toEqual({
    pay: ['Amount must be positive'],
  });
});

it('an invalid value is 422 at its parameter, and a missing task is 404', async () => {
  const path = await create('wrong');
  for (const [query, errors] of [
    ['performed_by=nobody@acme.test', { performed_by: ['is not a user of this workspace'] }],
    ['performed_by=', { performed_by: ['is not a user of this workspace'] }],
    ['_explain=yes', { _explain: ['is not true or false'] }],
    ['Stage=New', { Stage: ['is not a parameter here'] }],
  ] as const)
    expect((await api.get(`${path}?${query}`).expect(422)).body).toEqual({ errors });
  await api.get(`${vendors}/none/actions`).expect(404);
  await api.get('/api/v1/workflows/none/tasks/x/actions').expect(404);
});
