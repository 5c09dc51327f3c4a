import { startServiceWith } from '../support/service.js';

const yaml = (workspace: string): string => `
workspace: { id: ${workspace}, name: Acme }
users:
  - { email: mina@acme.test }
  - { email: gone@acme.test, active: false }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Review }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    checklist:
      - { title: Read, stage: New }
      - { title: Check, stage: Review }
      - { title: Sign, stage: Review }
  - id: notes
    name: Notes
    stages: [{ name: New }]
    fields: [{ name: Text, type: text }]
  - id: numbers
    name: Numbers
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, autoincrement: true }]
    checklist: [{ title: Count, stage: New }]
relationships:
  - { id: cases, kind: one_to_many, from: { workflow: numbers, name: Cases }, to: { workflow: cases, name: Number } }
`;
const tasks = '/api/v1/workflows/cases/tasks';
const itemsOf = (id: string): string => `${tasks}/${id}/checklist_items`;

const { service, api } = await startServiceWith([yaml('acme'), yaml('other')]);
for (const ID of ['a', 'b']) await api.post(tasks, { ID }).expect(201);

describe('4.3 checklist items', () => {
  const items = (id: string, query = ''): Promise<Record<string, unknown>[]> => api.read(itemsOf(id) + query);
  /** Adds an item of one's own, and gives its path. */
  async function add(id: string): Promise<string> {
    const item = await api.send<{ id: string }>(itemsOf(id), { title: 'x', Stage: 'New' });
    return `${itemsOf(id)}/${item.id}`;
  }

  /** A new task with the id of its first item, one of the template. */
  async function start(ID: string): Promise<string> {
    await api.post(tasks, { ID }).expect(201);
    return String((await items(ID))[0]?.['id']);
  }

  describe('the template', () => {
    it('gives its items to each new task, for all stages, in its order, not editable', async () => {
      const id = expect.stringMatching(/^[\w-]{16}$/) as unknown;
      const item = { id, status: 'Blank', editable: false, 'Assigned To': null };
      expect(await items('a')).toEqual([
        { ...item, title: 'Read', Stage: 'New' },
        { ...item, title: 'Check', Stage: 'Review' },
        { ...item, title: 'Sign', Stage: 'Review' },
      ]);
      expect(Object.keys((await items('a'))[0] ?? {})).toEqual(['id', 'title', 'status', 'editable', 'Assigned To', 'Stage']); // prettier-ignore
    });

    it('gives its items once to each task, however the task is created, changed or linked', async () => {
      await api.post(tasks, { ID: 'a', Stage: 'Review' }).expect(200);
      await api.put(tasks, { ID: 'a', Number: null }).expect(200);
      await Promise.all(Array.from({ length: 4 }, () => api.post(tasks, { ID: 'raced' })));
      const numbers = '/api/v1/workflows/numbers/tasks';
      await api.post(numbers, {}).expect(201);
      await api.post(numbers, { No: 7, Cases: [{ ID: 'b' }] }).expect(201);
      await api.post(tasks, { ID: 'linked', Number: { No: '1' } }).expect(201);
      for (const id of ['a', 'raced', 'linked']) expect(await items(id)).toHaveLength(3);
      for (const no of ['1', '7'])
        expect(await api.read(`${numbers}/${no}/checklist_items`)).toMatchObject([{ title: 'Count' }]);
    });
  });

  describe('POST', () => {
    it('appends an editable item: 201 with the item', async () => {
      await start('p');
      const sent = { title: 'Call', Stage: 'Done', status: 'Skipped', 'Assigned To': 'MINA@acme.test' };
      const { body } = await api.post(itemsOf('p'), sent).expect(201);
      const { id } = body as { id: string };
      expect(body).toEqual({ ...sent, id, editable: true, 'Assigned To': 'mina@acme.test' });
      expect((await items('p')).at(-1)).toEqual(body);
      expect(await api.read(`${itemsOf('p')}/${id}`)).toEqual(body);
    });

    it('needs title and Stage, reports all faults at once, and ignores id and editable', async () => {
      const wrong = { 'Assigned To': 'gone@acme.test', status: 'Open', Colour: 1 };
      expect(await api.refusal(itemsOf('a'), wrong)).toEqual({
        Colour: ['is not a key of a checklist item'],
        status: ['is not one of: Blank, Skipped, Completed'],
        title: ['is required'],
        Stage: ['is required'],
        'Assigned To': ['is not a user of this workspace'],
      });
      await api.send(itemsOf('a'), { title: 'x', Stage: 'New', id: 'mine', editable: false });
      const id = expect.not.stringMatching(/^mine$/) as unknown;
      expect((await items('a')).at(-1)).toMatchObject({ id, title: 'x', editable: true });
    });

    it.each([
      ['title', 'is not 1 to 500 characters long', ['x'.repeat(501)]],
      ['title', 'is required', [null, '', ' ']],
      ['Stage', 'is not a stage of this workflow: __proto__; it has: New, Review, Done', ['__proto__']],
      ['Stage', 'is not a stage of this workflow; it has: New, Review, Done', [1]],
      ['status', 'is not one of: Blank, Skipped, Completed', ['blank', null, 1, '']],
      ['Assigned To', 'is not a user of this workspace', ['x@acme.test', 5, {}]],
    ])('422: %s %s', async (name, message, values) => {
      const before = (await items('b')).length;
      for (const value of values) {
        const errors = await api.refusal(itemsOf('b'), { title: 'x', Stage: 'New', [name]: value });
        expect([value, errors]).toEqual([value, { [name]: [message] }]);
      }
      expect(await items('b')).toHaveLength(before);
    });

    it('adds no more than 1,000 items to a task, even by simultaneous requests', async () => {
      await start('full');
      await service.dataSource.query(
        `INSERT INTO checklist_items (workspace_id, id, workflow_id, task_id, title, stage_id, status, is_editable)
         SELECT workspace_id, 'full-' || n, workflow_id, id, 'Item', stage_id, 'Blank', true
         FROM tasks, generate_series(1, 996) n WHERE unique_value = 'full'`,
      );
      const answers = await Promise.all(
        Array.from({ length: 3 }, () => api.post(itemsOf('full'), { title: 'Last', Stage: 'New' })),
      );
      const refused = { errors: { base: ['would have more than 1000 checklist items'] } };
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
      expect(answers.filter(({ status }) => status === 422)[0]?.body).toEqual(refused);
      expect(await items('full')).toHaveLength(1000);
    });
  });

  describe('an item', () => {
    it('changes by the keys of a PUT: any status may follow any other', async () => {
      const id = await start('u');
      for (const status of ['Completed', 'Blank', 'Skipped', 'Completed', 'Skipped', 'Blank']) {
        const { body } = await api.put(`${itemsOf('u')}/${id}`, { status }).expect(200);
        expect(body).toEqual({ id, title: 'Read', status, editable: false, 'Assigned To': null, Stage: 'New' }); // prettier-ignore
      }
      await api.put(`${itemsOf('u')}/${id}`, {}).expect(200);
      for (const assignee of ['mina@acme.test', null]) {
        const { body } = await api.put(`${itemsOf('u')}/${id}`, { 'Assigned To': assignee }).expect(200);
        expect(body).toMatchObject({ 'Assigned To': assignee, status: 'Blank' });
      }
    });

    it('of the template keeps title and Stage, and cannot be deleted; a PUT may repeat both', async () => {
      const path = `${itemsOf('t')}/${await start('t')}`;
      const { body } = await api.put(path, { title: 'Other', Stage: 'Done' }).expect(422);
      const fixed = ['cannot be changed on an item from a checklist template'];
      expect(body).toEqual({ errors: { title: fixed, Stage: fixed } });
      await api.put(path, { title: 'Read', Stage: 'New', status: 'Completed' }).expect(200);
      const errors = { base: ['Items from a checklist template cannot be deleted'] };
      await api.delete(path).expect(422, { errors });
      expect(await items('t')).toHaveLength(3);
    });

    it('that was added can be changed, sent back and deleted; then it is 404', async () => {
      await start('w');
      const path = await add('w');
      const { body } = await api.put(path, { title: 'y', Stage: 'Done' }).expect(200);
      expect(body).toMatchObject({ title: 'y', Stage: 'Done' });
      expect((await api.put(path, body as object).expect(200)).body).toEqual(body);
      await api.delete(path).expect(204);
      for (const send of [api.delete(path), api.get(path), api.put(path, {})])
        expect((await send).status).toBe(404);
    });
  });

  it('`?Stage=` limits to one stage; an unknown stage or parameter is 422', async () => {
    await start('q');
    expect((await items('q', '?Stage=Review')).map(({ title }) => title)).toEqual(['Check', 'Sign']);
    expect(await items('q', '?Stage=Done')).toEqual([]);
    for (const [query, errors] of [
      ['Stage=Nowhere', { Stage: ['is not a stage of this workflow: Nowhere; it has: New, Review, Done'] }],
      ['Stage=New&Stage=Done', { Stage: ['is given twice'] }],
      ['stage=New', { stage: ['is not a parameter here; did you mean Stage?'] }],
    ] as const)
      expect((await api.get(`${itemsOf('q')}?${query}`).expect(422)).body).toEqual({ errors });
  });

  it('a change of an item is no version of the task; items are deleted with the task', async () => {
    const id = await start('v');
    const { headers } = await api.get(`${tasks}/v`);
    await api.put(`${itemsOf('v')}/${id}`, { status: 'Completed' }).expect(200);
    await add('v');
    expect((await api.get(`${tasks}/v`)).headers['etag']).toBe(headers['etag']);
    await api.delete(`${tasks}/v`).expect(204);
    await api.get(itemsOf('v')).expect(404);
    expect(await service.dataSource.query('SELECT FROM checklist_items WHERE id = $1', [id])).toEqual([]);
  });

  it('items of other tasks and workspaces, unknown tasks and unknown workflows are 404', async () => {
    const id = await start('e');
    const other = service.client(await service.key('other'));
    for (const send of [
      api.get(`${itemsOf('a')}/${id}`),
      api.put(`${itemsOf('a')}/${id}`, { status: 'Completed' }),
      api.delete(`${itemsOf('a')}/${id}`),
      other.get(`${itemsOf('e')}/${id}`),
      api.get(itemsOf('none')),
      api.post(itemsOf('none'), {}),
    ])
      expect((await send).status).toBe(404);
    const errors = { base: ['This workflow has no Unique ID field'] };
    await api.get('/api/v1/workflows/notes/tasks/1/checklist_items').expect(422, { errors });
    expect((await items('e'))[0]).toMatchObject({ status: 'Blank' });
  });

  it('writes to different properties of one item at once lose none', async () => {
    const id = await start('c');
    const changes = [{ status: 'Completed' }, { 'Assigned To': 'mina@acme.test' }];
    await Promise.all([...changes, ...changes].map((change) => api.put(`${itemsOf('c')}/${id}`, change)));
    expect((await items('c'))[0]).toMatchObject({ status: 'Completed', 'Assigned To': 'mina@acme.test' });
  });
});
