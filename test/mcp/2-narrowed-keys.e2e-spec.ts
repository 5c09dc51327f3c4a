import { type Agent, connectAgent, keyFor, startForAgents } from '../support/agent.js';

// agents.md, 1 and 2.4: an agent may what its key may, whichever tool it asks.

const invoice = { workflow: 'invoices', unique_id: 'I-1' };
const vendor = { workflow: 'vendors', unique_id: 'V-1' };

const service = await startForAgents();
afterAll(() => service.stop());

describe('a key that is narrowed to one workflow, one action and one field', () => {
  let agent: Agent;
  beforeAll(async () => {
    const all = await connectAgent(service.url, await service.key('demo'), '2026-07-28');
    const set = { 'Vendor Name': 'Acme', 'Assigned To': 'mina@demo.test' };
    await all.call('save_task', { ...vendor, set });
    await all.call('save_task', { ...invoice, set: { Amount: 7, Vendor: { 'Vendor ID': 'V-1' } } });
    await all.close();
    const key = await keyFor(service, { workflows: 'vendors', actions: 'start-review', fields: 'Notes' });
    agent = await connectAgent(service.url, key, '2026-07-28');
  });
  afterAll(() => agent.close());

  // Every other tool: test/permissions/untold.e2e-spec.ts.
  it('finds nothing of another workflow', async () => {
    const errors = { base: ['No workflow `invoices` in this workspace; it has: vendors.'] };
    expect(await agent.ask('get_task', invoice)).toMatchObject({ refused: 'not_found', errors });
  });

  it('sees its own workflow, and the Unique IDs of linked tasks', async () => {
    const { structuredContent } = await agent.call('describe_workflow');
    expect(structuredContent.values).toMatchObject({ workflows: [{ id: 'vendors' }] });
    const described = await agent.call('describe_workflow', { workflow: 'vendors' });
    expect(described.structuredContent.values).toMatchObject({ actions: [{ id: 'start-review' }] });
    const { fields, links, built_in } = described.structuredContent.values as unknown as Record<string, { name: string; editable: boolean }[]>; // prettier-ignore
    const named = [...(fields ?? []), ...(links ?? []), ...(built_in ?? [])].map(({ name, editable }) => [name, editable]); // prettier-ignore
    expect(Object.fromEntries(named)).toMatchObject({ Notes: true, Risk: false, Contract: false, Invoices: false, Stage: false, 'Assigned To': false, Checklist: false }); // prettier-ignore
    const got = await agent.call('get_task', vendor);
    expect(got.structuredContent.values).toMatchObject({ task: { Invoices: [{ 'Invoice ID': 'I-1' }] } });
  });

  it('may write its field and perform its action, and nothing else', async () => {
    const risky = await agent.ask('save_task', { ...vendor, set: { Risk: 'Low' } });
    expect([risky.refused, Object.keys(risky.errors ?? {})]).toEqual(['validation', ['Risk']]);
    const own = await agent.ask('save_task', { ...vendor, set: { Notes: 'x' } });
    expect(own).toMatchObject({ did: 'updated' });
    const perform = (action: string): Promise<unknown> => agent.ask('perform_action', { ...vendor, action });
    expect(await perform('escalate')).toMatchObject({ refused: 'forbidden' });
    expect(await perform('start-review')).toMatchObject({ status: 'Success' });
  });
});

it('a key that acts as a user may name no other performer', async () => {
  const place = { workflow: 'vendors', unique_id: 'V-2' };
  const key = await keyFor(service, { as: 'theo@demo.test' });
  const agent = await connectAgent(service.url, key, '2026-07-28');
  const set = { 'Vendor Name': 'Acme', 'Assigned To': 'theo@demo.test' };
  await agent.call('save_task', { ...place, set });
  for (const [tool, given] of [
    ['comment', { ...place, body: 'x' }],
    ['explain_actions', place],
    ['perform_action', { ...place, action: 'start-review' }],
  ] as const) {
    const { structuredContent } = await agent.call(tool, { ...given, performed_by: 'mina@demo.test' });
    expect(structuredContent.errors ?? structuredContent['unmet']).toBeDefined();
    expect((await agent.call(tool, given)).isError).toBeUndefined();
  }
  await agent.close();
});
