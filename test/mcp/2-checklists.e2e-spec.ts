import { connectAgent, keyFor, type Structured, startForAgents } from '../support/agent.js';

// agents.md, 2: an agent works a task whose action needs a complete checklist.

const place = { workflow: 'vendors', unique_id: 'V-1' };
const path = '/api/v1/workflows/vendors/tasks/V-1';
const register = 'Check the company register';
const lists = 'Screen against sanctions lists';

const service = await startForAgents();
const key = await service.key('demo');
const api = service.client(key);
const agent = await connectAgent(service.url, key, '2026-07-28');

describe('the checklist of a task', () => {
  afterAll(async () => {
    await agent.close();
    await service.stop();
  });
  beforeEach(async () => {
    await api.delete(path);
    await api.post('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'V-1', 'Vendor Name': 'Acme' }).expect(201); // prettier-ignore
  });

  const save = (given: object): Promise<Structured> => agent.ask('save_task', { ...place, ...given });

  /** The statuses of the items, in their order, and what the notes are. */
  async function kept(): Promise<unknown[]> {
    const { body: items } = await api.get(`${path}/checklist_items`).expect(200);
    const { body: task } = await api.get(path).expect(200);
    return [
      ...(items as { status: string }[]).map(({ status }) => status),
      (task as { Notes: unknown }).Notes,
    ];
  }

  it('is ticked together with values', async () => {
    const change = { set: { Notes: 'done' }, checklist: { [register]: 'Completed', [lists]: 'Skipped' } };
    expect(await save({ ...change, dry_run: true })).toMatchObject({
      would: 'update',
      changes: ['Notes', 'Checklist'],
      values: { checklist: [{ title: register, from: 'Blank', to: 'Completed' }, { title: lists, to: 'Skipped' }] }, // prettier-ignore
    });
    expect(await kept()).toEqual(['Blank', 'Blank', 'Blank', null]);
    expect(await save({ ...change, key: 'once' })).toMatchObject({
      did: 'updated',
      values: { task: { Notes: 'done' }, checklist: [{ title: register }, { title: lists }] },
    });
    expect(await kept()).toEqual(['Completed', 'Skipped', 'Blank', 'done']);
    // The same call again changes nothing, by its key or without.
    const { version } = await save(change);
    expect(await save({ ...change, key: 'once' })).toMatchObject({ version });
    expect(await save({ ...change, checklist: {}, key: 'once' })).toMatchObject({ refused: 'conflict' });
  });

  it('is ticked together with the values, or neither is changed', async () => {
    const good = { [register]: 'Completed' };
    expect(await save({ set: { Notes: 'x' }, checklist: { ...good, [lists]: 'Done' } })).toMatchObject({
      errors: { [lists]: ['is not one of: Blank, Skipped, Completed'] },
    });
    expect(await save({ set: { Risk: 'Huge' }, checklist: good })).toMatchObject({ refused: 'validation' });
    expect(await save({ set: { Notes: 'x' }, checklist: good, version: 'old' })).toMatchObject({ refused: 'conflict' }); // prettier-ignore
    expect(await kept()).toEqual(['Blank', 'Blank', 'Blank', null]);
  });

  it('names each item by its title, or by its id if several have the title', async () => {
    expect(await save({ checklist: { 'check the company registry': 'Completed' } })).toEqual({
      refused: 'validation',
      errors: { 'check the company registry': ['does not name exactly one item of this checklist'] },
    });
    const { body } = await api.post(`${path}/checklist_items`, { title: register, Stage: 'New' });
    const { id } = body as { id: string };
    const several = await save({ checklist: { [register]: 'Completed' } });
    expect(several.errors?.[register]?.[0]).toContain(id);
    expect(await save({ checklist: { [id]: 'Completed' } })).toMatchObject({ did: 'updated' });
  });

  it.each([
    ['Notes, Checklist', { did: 'updated' }, 'Completed'],
    ['Notes', { refused: 'forbidden' }, 'Blank'],
  ])('can be ticked by a key narrowed to fields if it is one of them: %s', async (fields, came, status) => {
    const key = await keyFor(service, { workflows: 'vendors', fields });
    const narrowed = await connectAgent(service.url, key, '2025-11-25');
    const checklist = { [register]: 'Completed' };
    expect(await narrowed.ask('save_task', { ...place, set: { Notes: 'x' }, checklist })).toMatchObject(came);
    expect((await kept())[0]).toBe(status);
    await narrowed.close();
  });

  it('can be ticked by a user who may edit the task, even if the user gives the task away at once', async () => {
    const checklist = { [register]: 'Completed' };
    await save({ set: { 'Assigned To': 'ines@demo.test' } });
    for (const [as, came] of [
      ['noor@demo.test', { refused: 'forbidden' }],
      ['ines@demo.test', { did: 'updated' }],
      ['ines@demo.test', { refused: 'conflict' }],
    ] as const) {
      const theirs = await connectAgent(service.url, await keyFor(service, { as }), '2026-07-28');
      const set = { 'Assigned To': 'mina@demo.test' };
      const given = { ...place, version: '*', set, checklist };
      expect(await theirs.ask('save_task', given)).toMatchObject(came);
      await theirs.close();
    }
  });
});
