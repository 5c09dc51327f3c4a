import { type Client, startService } from '../support/service.js';

const tasks = '/api/v1/workflows/cases/tasks';

const definition = (slug: string): string => `
workspace: { id: ${slug}, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Seen }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions:
      - { id: see, name: See, stages: [New], steps: [{ name: Move, type: move_to_stage, stage: Seen }] }
      - { id: close, name: Close, stages: [Seen], steps: [{ name: Move, type: move_to_stage, stage: Done }] }
    rules:
      - { id: seen, on: stage_entered, stages: [Seen], run: close }
`;

const service = await startService();
afterAll(() => service.stop());

// All tests stand on this: no background work runs before a test asks for it, and then all that follows.
describe('settle()', () => {
  /** A workspace with a task whose action has been started. */
  async function begin(slug: string): Promise<Client> {
    await service.apply(definition(slug));
    const api = service.client(await service.key(slug));
    await api.post(tasks, { ID: '1' }).expect(201);
    await api.post(`/api/v1/workflows/cases/executions`, { task_id: '1', action_id: 'see' }).expect(202);
    return api;
  }
  const stage = async (api: Client): Promise<unknown> =>
    (await api.read<{ Stage: string }>(`${tasks}/1`)).Stage;

  it('runs due work and its consequences, of the named workspace only', async () => {
    const [one, other] = [await begin('one'), await begin('other')];
    expect([await stage(one), await stage(other)]).toEqual(['New', 'New']);
    await service.settle({ workspace: 'one' });
    expect([await stage(one), await stage(other)]).toEqual(['Done', 'New']);
    await service.settle();
    expect(await stage(other)).toBe('Done');
  });

  it('runs only the work of the named kind', async () => {
    const api = await begin('kinds');
    await service.settle({ workspace: 'kinds', kind: 'execution' });
    expect(await stage(api)).toBe('Seen');
    await service.settle({ workspace: 'kinds' });
    expect(await stage(api)).toBe('Done');
  });
});
