import { readFileSync } from 'node:fs';
import { type Agent, connectAgent, demo, type Revision, startForAgents } from '../support/agent.js';

// agents.md, 2: what agents may ask for, by official clients of both revisions of the protocol.

const names = ['describe_workflow', 'find_tasks', 'get_task', 'save_task', 'comment', 'explain_actions', 'perform_action']; // prettier-ignore

const service = await startForAgents();
afterAll(() => service.stop());

describe.each<Revision>(['2025-11-25', '2026-07-28'])('the official client with revision %s', (revision) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(service.url, await service.key('demo'), revision);
  });
  afterAll(() => agent.close());

  it('connects by that revision, and learns how to read results', () => {
    expect(agent.revision).toBe(revision);
    expect(agent.instructions).toContain('`values`');
  });

  it('lists seven tools, in at most 6 kB and each time the same', async () => {
    const tools = await agent.list();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(6000);
    expect(JSON.stringify(await agent.list())).toBe(JSON.stringify(tools));
  });

  it('learns of each tool whether it only reads, may overwrite, and may be repeated', async () => {
    const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
    const overwrites = { ...adds, destructiveHint: true };
    const writers = { comment: adds, save_task: overwrites, perform_action: overwrites };
    for (const { name, annotations } of await agent.list())
      expect([name, annotations]).toEqual([name, Reflect.get(writers, name) ?? reads]);
  });

  it('calls each tool', async () => {
    expect((await agent.ask('describe_workflow')).values).toMatchObject({
      workspace: { id: 'demo' },
      workflows: [{ id: 'vendors' }, { id: 'invoices' }],
    });
    const place = { workflow: 'vendors', unique_id: `V-${revision}` };
    const set = { 'Vendor Name': revision, 'Contract Value': 12, 'Assigned To': 'mina@demo.test' };
    expect(await agent.ask('save_task', { ...place, set, dry_run: true })).toMatchObject({
      would: 'create',
      values: { changes: { 'Vendor Name': { from: null, to: revision } } },
    });
    const saved = await agent.call('save_task', { ...place, set });
    expect(saved.structuredContent).toMatchObject({
      did: 'created',
      version: expect.stringMatching(/^[^"]+$/) as string,
      values: { task: { 'Vendor Name': revision, 'Contract Value': '12.00' } },
    });
    const again = await agent.ask('save_task', { ...place, set, dry_run: true });
    expect(again).toEqual({ would: 'nothing', changes: [], values: { changes: {}, checklist: [] } });
    const change = { ...place, set: { Risk: 'Low' }, version: saved.structuredContent['version'] };
    expect(await agent.ask('save_task', { ...change, dry_run: true })).toEqual({
      would: 'update',
      changes: ['Risk'],
      values: { changes: { Risk: { from: null, to: 'Low' } }, checklist: [] },
    });
    expect(await agent.ask('save_task', change)).toMatchObject({ did: 'updated' });
    expect(await agent.ask('save_task', change)).toMatchObject({ refused: 'conflict' });
    expect(await agent.ask('comment', { ...place, body: 'Hello' })).toMatchObject({
      values: { comment: { author: 'API', body: 'Hello' } },
    });
    const available = expect.objectContaining({ id: 'start-review', available: true }) as unknown;
    const { values: explained } = await agent.ask('explain_actions', place);
    expect(explained?.['actions']).toContainEqual(available);
    const start = { ...place, action: 'start-review', key: revision };
    expect(await agent.ask('perform_action', { ...start, dry_run: true })).toEqual({ would: 'begin' });
    const begun = await agent.call('perform_action', start);
    expect(begun.structuredContent).toMatchObject({ status: 'Success' });
    const { execution } = begun.structuredContent;
    // The same key is the same execution.
    expect(await agent.ask('perform_action', start)).toEqual({ status: 'Success', execution });
    const got = await agent.call('get_task', { ...place, include: ['comments', 'checklist', 'history'] });
    expect(got.structuredContent.values).toMatchObject({
      task: { Stage: 'In Review' },
      comments: [{ body: 'Hello' }],
      checklist: [{ Stage: 'In Review' }, { Stage: 'In Review' }, { Stage: 'Approved' }],
    });
    const found = await agent.call('find_tasks', {
      workflow: 'vendors',
      filters: { Stage: ['New', 'In Review'], 'Contract Value[gte]': 10, 'Vendor Name': revision },
      fields: ['Vendor ID'],
      sort: ['-Contract Value'],
    });
    expect(found.structuredContent).toEqual({ values: { tasks: [{ 'Vendor ID': `V-${revision}` }] } });
    // Events say that an agent made them, those of the execution too.
    const events = got.structuredContent.values?.['history'] as unknown as { data: { via?: string } }[];
    expect(events.length).toBeGreaterThan(4);
    expect(events.map(({ data }) => data.via)).toEqual(events.map(() => 'mcp'));
  });

  it('gets no tool with an unknown name', async () => {
    await expect(agent.call('delete_task')).rejects.toThrow('There is no tool with this name');
  });
});

describe('a refused call', () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(service.url, await service.key('demo'), '2026-07-28');
    await agent.call('save_task', { workflow: 'vendors', unique_id: 'V-1', set: { 'Vendor Name': 'One' } });
  });
  afterAll(() => agent.close());

  it.each([['V-2'], ['v-1'], [null]])(
    'save_task refuses a Unique ID in `set` that contradicts unique_id: %p',
    async (other) => {
      const call = { workflow: 'vendors', unique_id: 'V-1', set: { 'Vendor ID': other, Risk: 'Low' } };
      for (const dry_run of [false, true]) {
        expect(await agent.ask('save_task', { ...call, dry_run })).toMatchObject({
          refused: 'validation',
          errors: { 'Vendor ID': ['contradicts unique_id, which names the task: leave it out'] },
        });
      }
      const same = { ...call, set: { 'Vendor ID': 'V-1' } };
      expect(await agent.ask('save_task', same)).toMatchObject({ did: 'updated' });
    },
  );
});

// docs/guide/agents.md, "Several agents, one queue".
describe('several agents that share a queue', () => {
  const page = readFileSync('docs/guide/agents.md', 'utf8');
  const [, actions = ''] = /```yaml\nactions:\n(.*?)```/s.exec(page) ?? [];
  const place = { workflow: 'vendors', unique_id: 'Q-1' };
  const free = { workflow: 'vendors', filters: { Stage: 'New', 'Assigned To': null, 'Vendor ID': 'Q-1' } };
  let agent: Agent;
  const found = async (): Promise<unknown> => (await agent.ask('find_tasks', free)).values?.['tasks'];

  beforeAll(async () => {
    await service.apply(demo.replace('    actions:\n', `    actions:\n${actions.replace(/^/gm, '    ')}\n`));
    agent = await connectAgent(service.url, await service.key('demo'), '2026-07-28');
    await agent.call('save_task', { ...place, set: { 'Vendor Name': 'One' } });
  });
  afterAll(() => agent.close());

  it('one of them takes a task by the action of the guide, and a timer gives the task back', async () => {
    expect(await found()).toHaveLength(1);
    const take = { ...place, action: 'take', performed_by: 'mina@demo.test' };
    const byNobody = await agent.ask('perform_action', { ...take, performed_by: 'no@demo.test' });
    const base = ['performed_by is not a user of this workspace'];
    expect(byNobody).toMatchObject({ refused: 'validation', errors: { base } });
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => agent.call('perform_action', take)));
    const taken = outcomes.filter(({ structuredContent }) => structuredContent['status'] === 'Success');
    expect([taken.length, await found()]).toEqual([1, []]);
    await service.settle({ after: 3 * 3_600_000 });
    expect(await found()).toHaveLength(1);
  });
});
