import { type TestService } from '../../support/service.js';
import { type Agent, connectAgent, type Result, startForAgents } from '../../support/agent.js';

// agents.md, 2.2: refusals tell an agent what to do, so that one without any wit gets through the tour of the README.

describe('an agent that knows nothing but to do what refusals say', () => {
  let service: TestService;
  let agent: Agent;
  let calls: string[];
  beforeAll(async () => {
    service = await startForAgents();
    agent = await connectAgent(service.url, await service.key('demo'), '2026-07-28');
    calls = [];
  });
  afterAll(async () => {
    await agent.close();
    await service.stop();
  });

  /** Calls, and while that is refused calls what the refusal says is next. */
  async function solve(tool: string, given: Record<string, unknown>): Promise<Result> {
    for (let tries = 0; tries < 6; tries += 1) {
      const result = await agent.call(tool, given);
      const { refused, next } = result.structuredContent;
      calls.push(`${tool}: ${refused ?? 'done'}`);
      if (refused === undefined) return result;
      if (!next) throw new Error(`there is nothing to do after ${JSON.stringify(result)}`);
      [tool, given] = [next.tool, next.arguments];
    }
    throw new Error(`no way out of ${calls.join(', ')}`);
  }

  it('creates a task, though it has every name nearly right', async () => {
    const set = {
      'vendor name': 'Acme',
      'Contract Valu': 10000,
      'Asigned To': 'mina@demo.test',
      Risk: 'low',
    };
    const { structuredContent } = await solve('save_task', { worklfow: 'vendor', unique_id: 'V-100', set });
    expect(calls).toEqual([
      'save_task: validation',
      'save_task: not_found',
      'save_task: validation',
      'save_task: done',
    ]);
    expect(structuredContent).toMatchObject({
      did: 'created',
      values: { task: { Stage: 'New', 'Contract Value': '10000.00', Risk: 'Low' } },
    });
  });

  it('learns of a stale version, and reads the task anew', async () => {
    const change = { workflow: 'vendors', unique_id: 'V-100', set: { Risk: 'Medium' } };
    const { structuredContent } = await agent.call('save_task', change);
    await agent.call('save_task', { ...change, set: { Risk: 'High' } });
    const late = await solve('save_task', { ...change, version: structuredContent['version'] });
    expect(late.structuredContent).toMatchObject({ values: { task: { Risk: 'High' } } });
    const again = await agent.call('save_task', { ...change, version: late.structuredContent['version'] });
    expect(again.structuredContent).toMatchObject({ did: 'updated' });
  });

  it('finds tasks, and links one', async () => {
    const found = await solve('find_tasks', {
      workflow: 'vendors',
      filters: { Stag: 'New', 'contract value[gte]': 5000 },
      fields: ['vendor id', 'Contract Value'],
      sort: ['-contract value'],
    });
    expect(found.structuredContent.values).toEqual({
      tasks: [{ 'Vendor ID': 'V-100', 'Contract Value': '10000.00' }],
    });
    const set = { Amount: 99.5, Vendro: { 'Vendor ID': 'V-100' } };
    const linked = await solve('save_task', { workflow: 'invoices', unique_id: 'I-1', set });
    expect(linked.structuredContent.values).toMatchObject({
      task: { Vendor: { 'Vendor ID': 'V-100' } },
    });
  });

  it('is shown what there is where it asks for a task that is not there', async () => {
    const { structuredContent } = await solve('get_task', { workflow: 'vendors', unique_id: 'V-1000' });
    expect(structuredContent.values?.['tasks']).toHaveLength(1);
  });

  it('acts, is told what stands in the way, and acts once a person has removed it', async () => {
    const place = { workflow: 'vendors', unique_id: 'V-100' };
    const begun = await solve('perform_action', { ...place, action: 'start_review', key: 'k-1' });
    expect(begun.structuredContent).toMatchObject({ status: 'Success' });
    const approve = { ...place, action: 'approve', performed_by: 'mina@demo.test' };
    const refused = await agent.call('perform_action', { ...approve, dry_run: true });
    expect(refused.structuredContent).toEqual({
      refused: 'not_possible',
      unmet: expect.arrayContaining(['Checklist must be completed']) as string[],
      next: { tool: 'get_task', arguments: { ...place, include: ['checklist'] } },
    });
    const shown = await solve('perform_action', approve);
    const items = shown.structuredContent.values?.['checklist'] as unknown as {
      title: string;
      Stage: string;
    }[];
    const open = items.filter(({ Stage }) => Stage === 'In Review').map(({ title }) => [title, 'Completed']);
    await solve('save_task', { ...place, checklist: Object.fromEntries(open) as object });
    const explained = await solve('perform_action', approve);
    const { unmet } = (await agent.call('perform_action', approve)).structuredContent;
    expect(unmet).not.toContain('Checklist must be completed');
    expect(explained.structuredContent.values?.['actions']).toContainEqual(
      expect.objectContaining({ id: 'approve', available: false, unmet }),
    );
    await letPersonsDoTheirPart();
    const { structuredContent } = await solve('perform_action', approve);
    expect(structuredContent).toMatchObject({ status: 'Success' });
    const { structuredContent: invoice } = await solve('get_task', {
      workflow: 'invoices',
      unique_id: 'INV-V-100-1',
    });
    expect(invoice.values).toMatchObject({ task: { Amount: '10000.00', Vendor: { Stage: 'Approved' } } });
  });

  it('sees what happened', async () => {
    const { structuredContent } = await solve('what_happened', {
      workflow: 'vendors',
      uniqueid: 'V-100',
      limit: 1,
    });
    expect(structuredContent.values).toMatchObject({
      events: [{ type: 'execution.succeeded', data: { actor: { id: 'mina@demo.test' }, via: 'mcp' } }],
    });
  });

  async function letPersonsDoTheirPart(): Promise<void> {
    const api = service.client(await service.key('demo'));
    const Contract = [{ filename: 'c.txt', contentType: 'text/plain', base64contents: 'YQ==' }];
    await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'V-100', Contract }).expect(200);
  }
});
