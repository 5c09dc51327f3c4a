import { applyDefinition } from '../../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { type Client, startService, type TestService } from '../../support/service.js';

const path = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;
const rounds = 12;

/** Round by round a stage goes, a field changes its type, another field goes, and a third comes. */
function definition(round: number): string {
  const other = `S${round - 1}`;
  return `
workspace: { id: busy, name: Busy }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: S${round} }, { name: ${other}, removed: true, move_tasks_to: New }]
    checklist: [{ title: Look, stage: S${round} }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Count, type: ${round % 2 === 0 ? 'number' : 'text'} }
      - { name: F${round}, type: text }
  - id: others
    name: Others
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }]
relationships:
  - { id: links, kind: many_to_many, from: { workflow: others, name: Things }, to: { workflow: things, name: Others } }
`;
}

describe('tasks move with the definition under constant writes', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await apply(0);
    api = service.client(await service.key('busy'));
  });
  afterAll(() => service.stop());

  async function apply(round: number): Promise<void> {
    const source = readDefinition(definition(round), 'file.yaml');
    await applyDefinition(service.dataSource, source, { isPruning: true, allowsDataLoss: true });
  }

  it('no acknowledged write is lost, none is refused that both definitions take, and nothing is left behind', async () => {
    const state = { round: 0, isOver: false };
    const last = new Map<string, number>();
    for (const key of ['a', 'b', 'c', 'd']) {
      await api.post(path('things'), { ID: key, Count: '0' }).expect(201);
      await api.post(path('others'), { ID: key }).expect(201);
    }
    const counting = ['a', 'b', 'c', 'd'].map((key) =>
      whileRunning(state, async (n) => {
        await api.put(path('things'), { ID: key, Count: String(n) }).expect(200);
        last.set(key, n);
      }),
    );
    const moving = whileRunning(state, async (n) => {
      // The stage and the field may have gone meanwhile.
      const sent = { ID: `t${n % 20}`, Stage: `S${state.round}`, [`F${state.round}`]: 'x', Count: '1' };
      expect([200, 201, 422]).toContain((await api.post(path('things'), sent)).status);
    });
    const linking = ['a', 'b', 'c'].map((key, at) =>
      whileRunning(state, async (n) => {
        const Things = ['a', 'b', 'c', 'd'].slice(0, 1 + ((n + at) % 4)).map((ID) => ({ ID }));
        await api.put(path('others'), { ID: key, Things }).expect(200);
      }),
    );
    const reading = whileRunning(state, async () => {
      await api.get(path('things')).expect(200);
      await api.get(`${path('things')}/a/checklist_items`).expect(200);
    });
    const running = Promise.all([...counting, moving, ...linking, reading]).finally(
      () => (state.isOver = true),
    );
    for (let round = 1; round <= rounds && !state.isOver; round += 1) {
      await apply(round);
      state.round = round;
      const { body } = await api.get(path('things')).expect(200);
      for (const task of body as Record<string, unknown>[]) {
        expect(['New', `S${round}`]).toContain(task['Stage']);
        expect(Object.keys(task)).toEqual(['Stage', 'Assigned To', 'Task URL', 'ID', 'Count', `F${round}`, 'Others']); // prettier-ignore
      }
    }
    state.isOver = true;
    await running;
    expect(state.round).toBe(rounds);
    for (const [key, count] of last)
      expect((await api.get(`${path('things')}/${key}`)).body).toMatchObject({ Count: String(count) });
    // What tasks hold are values of fields that there are, in stages that there are.
    const [left] = await service.dataSource.query<{ values: string; stages: string; versions: string }[]>(`
      SELECT (SELECT count(*) FROM tasks t, jsonb_object_keys(t.field_values) k WHERE k NOT IN (SELECT id FROM fields)) AS values,
        (SELECT count(*) FROM stages) AS stages, (SELECT count(*) FROM definition_versions) AS versions`);
    expect(left).toEqual({ values: '0', stages: '3', versions: String(rounds + 1) });
  });
});

async function whileRunning(state: { isOver: boolean }, work: (n: number) => Promise<void>): Promise<void> {
  for (let n = 1; !state.isOver; n += 1) await work(n);
}
