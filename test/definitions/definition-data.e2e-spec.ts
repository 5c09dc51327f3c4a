import { type Change } from '../../src/workflows/model/changed-definition.js';
import { applyDefinition, type ApplyOptions } from '../../src/workflows/definition/apply-definition.js';
import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { sweepBlobs } from '../../src/tasks/files/sweep-blobs.js';
import { type Client, startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const id = '{ name: ID, type: uniqueId, required: true }';

interface Parts {
  readonly stages?: string;
  readonly fields?: string;
  readonly more?: string;
  readonly users?: string;
  readonly rest?: string;
}

/** A workspace with the workflow `things`, and what else is said. */
function definition(
  workspace: string,
  { stages = '{ name: New }, { name: Done, end: true }', fields = '', more = '', users = '{ email: mina@acme.test }', rest = '' }: Parts = {},
): string {
  return `
workspace: { id: ${workspace}, name: Acme }
users: [${users}]
workflows:
  - id: things
    name: Things
    stages: [${stages}]
    fields: [${[id, fields].filter((text) => text !== '').join(', ')}]
${more}
${rest}
`;
} // prettier-ignore

const { service } = await startServiceWith([]);

describe('a definition is applied to existing tasks', () => {
  async function start(workspace: string, parts: Parts = {}): Promise<Client> {
    return service.clientOf(definition(workspace, parts));
  }

  const apply = async (yaml: string, options: ApplyOptions = {}): Promise<readonly Change[]> =>
    (await applyDefinition(service.dataSource, readDefinition(yaml, 'file.yaml'), options)).changes;

  /** What plan says about the data, and that it has written nothing. */
  async function effects(yaml: string, isPruning = false): Promise<string[]> {
    const before = await everything();
    const plan = await planDefinition(service.dataSource, readDefinition(yaml, 'file.yaml'), { isPruning });
    expect(await everything()).toEqual(before);
    return plan.effects.map(({ kind, what, name, message, examples }) =>
      [`${kind} ${what} ${name}: ${message}`, ...examples.map((example) => JSON.stringify(example))].join(
        ' ',
      ),
    );
  }

  async function everything(): Promise<unknown> {
    const names = ['workspaces', 'users', 'workflows', 'stages', 'fields', 'tasks', 'checklist_items', 'links', 'definition_versions']; // prettier-ignore
    const counts = names.map((name) => `SELECT '${name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS content FROM ${name} t`); // prettier-ignore
    return service.dataSource.query(counts.join(' UNION ALL '));
  }

  const shown = async (api: Client, key: string): Promise<Record<string, unknown>> =>
    (await api.get(`${tasks}/${key}`).expect(200)).body as Record<string, unknown>;

  describe('"12 tasks stand in the stage you remove"', () => {
    const before = { stages: '{ name: New }, { name: Old }, { name: Done, end: true }', more: '    checklist: [{ title: Look, stage: Old }]' }; // prettier-ignore
    const removed = (workspace: string, how = ''): string =>
      definition(workspace, { stages: `{ name: New }, { name: Old, removed: true${how} }, { name: Done, end: true }` }); // prettier-ignore

    it('are counted, and refused with any flag, unless the file says where they go', async () => {
      const api = await start('stages', before);
      for (let n = 1; n <= 3; n += 1) await api.post(tasks, { ID: `${n}`, Stage: 'Old' }).expect(201);
      await api.post(tasks, { ID: 'new' }).expect(201);
      const [stands, items] = await effects(removed('stages'));
      expect(stands).toMatch(/^blocked stage things \/ Old: 3 tasks are in it; to move them, write \{ name: Old, removed: true, move_tasks_to: <stage> } {"id":"1"}/); // prettier-ignore
      expect(items).toMatch(/^loses stage things \/ Old: 4 checklist items of tasks belong to it/);
      for (const allowsDataLoss of [false, true])
        await expect(apply(removed('stages'), { allowsDataLoss })).rejects.toThrow('stage things / Old: 3 tasks are in it'); // prettier-ignore
      expect(await shown(api, '1')).toMatchObject({ Stage: 'Old' });

      const moving = removed('stages', ', move_tasks_to: Done');
      expect(await effects(moving)).toEqual([
        'notes stage things / Old: 3 tasks move to Done ⚠ without checks by the actions that lead there',
        'notes stage things / Old: 4 checklist items move to Done',
      ]);
      const etag = (await api.get(`${tasks}/1`)).headers['etag'] as string;
      await apply(moving);
      expect(await shown(api, '1')).toMatchObject({ Stage: 'Done' });
      expect((await api.get(`${tasks}/active`)).body).toMatchObject([{ ID: 'new' }]);
      await api.put(tasks, { ID: '1', Stage: 'New' }).set('If-Match', etag).expect(412);
      const list = await api.get(`${tasks}/new/checklist_items`).expect(200);
      expect(list.body).toMatchObject([{ title: 'Look', Stage: 'Done', editable: false }]);
      await api.post(tasks, { ID: 'late', Stage: 'Old' }).expect(422);
      expect(await apply(moving)).toEqual([]);
    });

    it('checklist items of an empty stage are lost only if data may be lost', async () => {
      const api = await start('items', before);
      await api.post(tasks, { ID: '1' }).expect(201);
      await expect(apply(removed('items'))).rejects.toThrow('1 checklist item of tasks belongs to it');
      await apply(removed('items'), { allowsDataLoss: true });
      expect(await api.read(`${tasks}/1/checklist_items`)).toEqual([]);
    });
  });

  it('a field changes its type only if the new type takes each stored value, or if there is none', async () => {
    const fields = '{ name: Amount, type: currency }, { name: Day, type: date }, { name: Tier, type: singleSelect, options: [A] }, { name: Text, type: text }'; // prettier-ignore
    const api = await start('types', { fields });
    await api.post(tasks, { ID: '1', Amount: '2.50', Day: '2026-01-31', Tier: 'A', Text: 'x' }).expect(201);
    const narrower = fields.replace('type: date', 'type: datetime').replace('type: text', 'type: number');
    expect(await effects(definition('types', { fields: narrower }))).toEqual([
      'blocked field things / Day: 1 task holds a value of type date, which cannot become datetime: add a new field {"id":"1","value":"2026-01-31"}',
      'blocked field things / Text: 1 task holds a value of type text, which cannot become number: add a new field {"id":"1","value":"x"}',
    ]);
    await expect(apply(definition('types', { fields: narrower }), { allowsDataLoss: true })).rejects.toThrow('field things / Day: 1 task holds a value of type date'); // prettier-ignore
    const wider = definition('types', {
      fields: '{ name: Amount, type: number }, { name: Day, type: text }, { name: Tier, type: text }, { name: Text, type: longText }', // prettier-ignore
    });
    expect(await effects(wider)).toEqual([]);
    await apply(wider);
    expect(await shown(api, '1')).toMatchObject({ Amount: '2.5', Day: '2026-01-31', Tier: 'A', Text: 'x' });
    await api.put(tasks, { ID: '1', Text: null }).expect(200);
    await apply(wider.replace('type: longText', 'type: multipleSelect, options: [B]'));
    await api.put(tasks, { ID: '1', Text: ['B'] }).expect(200);
  });

  it('narrower settings keep the values that tasks have', async () => {
    const api = await start('narrow', { fields: '{ name: Tier, type: singleSelect, options: [A, B] }, { name: Size, type: number, decimals: 3 }, { name: Text, type: text }' }); // prettier-ignore
    await api.post(tasks, { ID: '1', Tier: 'A', Size: '1.125' }).expect(201);
    await api.post(tasks, { ID: '2', Tier: 'B', Size: '1.1', Text: 'x' }).expect(201);
    const yaml = definition('narrow', { fields: '{ name: Tier, type: singleSelect, options: [B] }, { name: Size, type: number, decimals: 1 }, { name: Text, type: text, required: true }' }); // prettier-ignore
    expect(await effects(yaml)).toEqual([]);
    await apply(yaml);
    const task = await shown(api, '1');
    expect(task).toMatchObject({ Tier: 'A', Size: '1.125', Text: null });
    await api.put(tasks, task).expect(200);
    await api.put(tasks, { ID: '2', Tier: 'A' }).expect(422);
  });

  describe('--prune', () => {
    const rest = `
  - { id: others, name: Others, stages: [{ name: Open }], fields: [{ name: ID, type: uniqueId, required: true }] }
relationships:
  - { id: others, kind: many_to_many, from: { workflow: things, name: Others }, to: { workflow: others, name: Things } }
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: things, name: Whole } }`;
    const full: Parts = {
      fields: '{ name: Text, type: text }, { name: Files, type: file }',
      users: '{ email: mina@acme.test }, { email: theo@acme.test }',
      more: `    checklist: [{ title: Look, stage: New }]
    roles: [{ id: all, name: All, admin: true }]
    members: [{ email: theo@acme.test, role: all }]
    actions: [{ id: go, name: Go }]`,
      rest,
    };

    it('removes what the file does not name, with counts, and deactivates users', async () => {
      const api = await start('pruned', full);
      const Files = [{ base64contents: 'aGVsbG8=', filename: 'a.txt', contentType: 'text/plain' }];
      const one = await api.post(tasks, { ID: '1', Text: 'x', Files, 'Assigned To': 'theo@acme.test' }).expect(201); // prettier-ignore
      await api.post(tasks, { ID: '2', Parts: [{ ID: '1' }] }).expect(201);
      await api.post('/api/v1/workflows/others/tasks', { ID: 'o', Things: [{ ID: '1' }] }).expect(201);
      await api.post('/api/v1/workflows/things/executions', { task_id: '1', action_id: 'go' }).expect(202);
      const yaml = definition('pruned');
      expect(await apply(yaml)).toEqual([]);
      const told = await effects(yaml, true);
      const { blobId } = (one.body as { Files: [{ blobId: string }] }).Files[0];
      expect(told.filter((line) => !line.startsWith('notes action'))).toEqual([
        'loses checklist item things / New / Look: the file lacks lists, and pruning would empty them; if you want this, write checklist: [], roles: [], members: [], actions: [], relationships: []',
        'loses workflow others: it holds 1 task {"id":"o"}',
        'loses field things / Text: 1 task holds a value, which is deleted for good {"id":"1","value":"x"}',
        `loses field things / Files: 1 task holds a value, which is deleted for good {"id":"1","value":[{"blobId":"${blobId}","contentType":"text/plain","filename":"a.txt"}]}`,
        'loses relationship others: it has 1 link',
        'loses relationship parts: it has 1 link',
      ]);
      await expect(apply(yaml, { isPruning: true })).rejects.toThrow('workflow others: it holds 1 task');
      const [users] = await effects(yaml.replace(/^users.*$/m, ''), true);
      expect(users).toMatch(/^loses user .*write users: \[\], checklist: \[\], /);
      await apply(yaml, { isPruning: true, allowsDataLoss: true });
      const task = await shown(api, '1');
      expect(Object.keys(task)).toEqual(['Stage', 'Assigned To', 'Task URL', 'ID']);
      expect(task['Assigned To']).toBe('theo@acme.test');
      await api.get('/api/v1/workflows/others/tasks').expect(404);
      await api.get(`/api/v1/files/${blobId}`).expect(404);
      expect(await api.read(`${tasks}/1/actions`)).toEqual([]);
      await api.put(tasks, { ID: '2', 'Assigned To': 'theo@acme.test' }).expect(422);
      expect(await sweepBlobs(service.dataSource.manager, service.blobs, 0)).toBe(1);
      expect(await apply(yaml, { isPruning: true })).toEqual([]);
      // It all may come again, empty.
      await service.apply(definition('pruned', full));
      expect(await shown(api, '1')).toMatchObject({ Text: null, Files: [], Others: [], Parts: [] });
    });

    it('removes the Unique ID with its numbers, and numbering begins again', async () => {
      const numbered = '{ name: ID, type: uniqueId, autoincrement: true }';
      const of = (list: string): string => definition('numbers').replace(id, list);
      const api = await service.clientOf(of(`${numbered}, { name: Text, type: text }`));
      await api.post(tasks, { Text: 'x' }).expect(201);
      const without = of('{ name: Text, type: text }');
      await expect(apply(without, { isPruning: true })).rejects.toThrow('field things / ID: 1 task holds a value, which is deleted for good: 1 "1"'); // prettier-ignore
      await apply(without, { isPruning: true, allowsDataLoss: true });
      expect((await api.get(tasks)).body).toMatchObject([{ Text: 'x' }]);
      await service.apply(of(`${numbered}, { name: Text, type: text }`));
      expect((await api.post(tasks, { Text: 'y' }).expect(201)).body).toMatchObject({ ID: '1' });
    });
  });
});
