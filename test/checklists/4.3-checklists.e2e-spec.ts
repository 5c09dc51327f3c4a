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
  async function items(id: string, query = ''): Promise<Record<string, unknown>[]> {
    const { body } = await api.get(itemsOf(id) + query).expect(200);
    return body as Record<string, unknown>[];
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

    it('gives them once, whatever is written later and by how many at once', async () => {
      await api.post(tasks, { ID: 'a', Stage: 'Review' }).expect(200);
      await api.put(tasks, { ID: 'a', Number: null }).expect(200);
      await Promise.all(Array.from({ length: 4 }, () => api.post(tasks, { ID: 'raced' })));
      expect([await items('a'), await items('raced')].map((list) => list.length)).toEqual([3, 3]);
    });

    it('gives them to numbered and to linked tasks too', async () => {
      const numbers = '/api/v1/workflows/numbers/tasks';
      await api.post(numbers, {}).expect(201);
      await api.post(numbers, { No: 7, Cases: [{ ID: 'b' }] }).expect(201);
      for (const no of ['1', '7'])
        expect((await api.get(`${numbers}/${no}/checklist_items`).expect(200)).body).toMatchObject([
          { title: 'Count' },
        ]);
      await api.post(tasks, { ID: 'linked', Number: { No: '1' } }).expect(201);
      expect(await items('linked')).toHaveLength(3);
    });
  });

  describe('POST', () => {
    it('adds an editable item behind the others: 201 with the item', async () => {
      await start('p');
      const sent = { title: 'Call', Stage: 'Done', status: 'Skipped', 'Assigned To': 'MINA@acme.test' };
      const { body } = await api.post(itemsOf('p'), sent).expect(201);
      const { id } = body as { id: string };
      const item = { id, title: 'Call', status: 'Skipped', editable: true, 'Assigned To': 'mina@acme.test', Stage: 'Done' }; // prettier-ignore
      expect(body).toEqual(item);
      expect((await items('p')).at(-1)).toEqual(item);
      expect((await api.get(`${itemsOf('p')}/${id}`).expect(200)).body).toEqual(item);
    });

    it('needs title and Stage; tells all faults at once; ignores id and editable', async () => {
      const { body } = await api.post(itemsOf('a'), { 'Assigned To': 'gone@acme.test', status: 'Open', Colour: 1 }).expect(422); // prettier-ignore
      expect(body).toEqual({
        errors: {
          Colour: ['is not a key of a checklist item'],
          status: ['is not one of: Blank, Skipped, Completed'],
          title: ['is required'],
          Stage: ['is required'],
          'Assigned To': ['is not a user of this workspace'],
        },
      });
      await api.post(itemsOf('a'), { title: 'x', Stage: 'New', id: 'mine', editable: false }).expect(201);
      expect((await items('a')).at(-1)).toMatchObject({ title: 'x', editable: true });
      expect((await items('a')).at(-1)).not.toMatchObject({ id: 'mine' });
    });

    it.each([
      ['title', 'is not 1 to 500 characters long', ['x'.repeat(501)]],
      ['title', 'is required', [null, '', ' ']],
      [
        'Stage',
        'is not a stage of this workflow; it has: New, Review, Done',
        ['Nowhere', 1, 'constructor', '__proto__'],
      ],
      ['status', 'is not one of: Blank, Skipped, Completed', ['blank', null, 1, '']],
      ['Assigned To', 'is not a user of this workspace', ['x@acme.test', 5, {}]],
    ])('422: %s %s', async (name, message, values) => {
      const before = (await items('b')).length;
      for (const value of values) {
        const { body } = await api.post(itemsOf('b'), { title: 'x', Stage: 'New', [name]: value }).expect(422); // prettier-ignore
        expect([value, body]).toEqual([value, { errors: { [name]: [message] } }]);
      }
      expect(await items('b')).toHaveLength(before);
    });

    it('adds no more than 1,000 items to a task, also at once', async () => {
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

  describe('PUT', () => {
    it('changes the named keys: any status may follow any other', async () => {
      const id = await start('u');
      for (const status of ['Completed', 'Blank', 'Skipped', 'Completed', 'Skipped', 'Blank']) {
        const { body } = await api.put(`${itemsOf('u')}/${id}`, { status }).expect(200);
        expect(body).toEqual({ id, title: 'Read', status, editable: false, 'Assigned To': null, Stage: 'New' }); // prettier-ignore
      }
      await api.put(`${itemsOf('u')}/${id}`, {}).expect(200);
      const { body } = await api.put(`${itemsOf('u')}/${id}`, { 'Assigned To': 'mina@acme.test' }).expect(200); // prettier-ignore
      expect(body).toMatchObject({ 'Assigned To': 'mina@acme.test', status: 'Blank' });
      expect((await api.put(`${itemsOf('u')}/${id}`, { 'Assigned To': null }).expect(200)).body).toMatchObject({ 'Assigned To': null }); // prettier-ignore
    });

    it('an item of the template keeps title and Stage; the same values are fine', async () => {
      const id = await start('t');
      const { body } = await api.put(`${itemsOf('t')}/${id}`, { title: 'Other', Stage: 'Done' }).expect(422);
      const fixed = ['cannot be changed on an item from a checklist template'];
      expect(body).toEqual({ errors: { title: fixed, Stage: fixed } });
      await api.put(`${itemsOf('t')}/${id}`, { title: 'Read', Stage: 'New', status: 'Completed' }).expect(200); // prettier-ignore
    });

    it('an item of one’s own changes as a whole, and an answer can be sent back', async () => {
      await start('w');
      const { body } = await api.post(itemsOf('w'), { title: 'x', Stage: 'New' }).expect(201);
      const { id } = body as { id: string };
      const changed = await api.put(`${itemsOf('w')}/${id}`, { title: 'y', Stage: 'Done' }).expect(200);
      expect(changed.body).toMatchObject({ title: 'y', Stage: 'Done' });
      expect((await api.put(`${itemsOf('w')}/${id}`, changed.body as object).expect(200)).body).toEqual(changed.body); // prettier-ignore
    });
  });

  describe('DELETE', () => {
    it('removes an item of one’s own: 204, then 404', async () => {
      await start('d');
      const { body } = await api.post(itemsOf('d'), { title: 'x', Stage: 'New' }).expect(201);
      const path = `${itemsOf('d')}/${(body as { id: string }).id}`;
      await api.delete(path).expect(204);
      await api.delete(path).expect(404);
      await api.get(path).expect(404);
      await api.put(path, {}).expect(404);
    });

    it('items with editable false cannot be deleted', async () => {
      const id = await start('k');
      const { body } = await api.delete(`${itemsOf('k')}/${id}`).expect(422);
      expect(body).toEqual({ errors: { base: ['Items from a checklist template cannot be deleted'] } });
      expect(await items('k')).toHaveLength(3);
    });
  });

  it('`?Stage=` limits to one stage; an unknown stage or parameter is 422', async () => {
    await start('q');
    expect((await items('q', '?Stage=Review')).map(({ title }) => title)).toEqual(['Check', 'Sign']);
    expect(await items('q', '?Stage=Done')).toEqual([]);
    expect((await api.get(`${itemsOf('q')}?Stage=Nowhere`).expect(422)).body).toEqual({ errors: { Stage: ['is not a stage of this workflow; it has: New, Review, Done'] } }); // prettier-ignore
    expect((await api.get(`${itemsOf('q')}?Stage=New&Stage=Done`).expect(422)).body).toEqual({ errors: { Stage: ['is given twice'] } }); // prettier-ignore
    expect((await api.get(`${itemsOf('q')}?stage=New`).expect(422)).body).toEqual({ errors: { stage: ['is not a parameter here; did you mean Stage?'] } }); // prettier-ignore
  });

  it('checklist items count no version of the task; they go with it', async () => {
    const id = await start('v');
    const { headers } = await api.get(`${tasks}/v`);
    await api.put(`${itemsOf('v')}/${id}`, { status: 'Completed' }).expect(200);
    await api.post(itemsOf('v'), { title: 'x', Stage: 'New' }).expect(201);
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
    const { body } = await api.get('/api/v1/workflows/notes/tasks/1/checklist_items').expect(422);
    expect(body).toEqual({ errors: { base: ['This workflow has no Unique ID field'] } });
    expect((await items('e'))[0]).toMatchObject({ status: 'Blank' });
  });

  it('writes to different properties of one item at once lose none', async () => {
    const id = await start('c');
    await Promise.all(
      Array.from(
        { length: 4 },
        (_, n) =>
        api.put(`${itemsOf('c')}/${id}`, n % 2 ? { status: 'Completed' } : { 'Assigned To': 'mina@acme.test' }), // prettier-ignore
      ),
    );
    expect((await items('c'))[0]).toMatchObject({ status: 'Completed', 'Assigned To': 'mina@acme.test' });
  });
});
