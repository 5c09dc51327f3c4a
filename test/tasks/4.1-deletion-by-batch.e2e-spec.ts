import { eventsOf } from '../events/following.js';
import { postBatch } from '../support/batch.js';
import { blocked } from '../support/blocked.js';
import { startServiceWith } from '../support/service.js';
import { holdTasks } from '../support/held-tasks.js';

const things = '/api/v1/workflows/things/tasks';
const parts = '/api/v1/workflows/parts/tasks';
const yaml = `
workspace: { id: acme, name: Acme }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Kept, change: [Stage] }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Text, type: text }
  - id: parts
    name: Parts
    stages: [{ name: Open }]
    fields:
      - { name: Part ID, type: uniqueId, required: true }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
  - { id: next, kind: many_to_many, from: { workflow: things, name: Next }, to: { workflow: things, name: Before } }
`;

const { service, api, key } = await startServiceWith(yaml);
describe('4.1 a line of a batch with "_delete": true', () => {
  beforeEach(() => service.dataSource.query('DELETE FROM tasks'));

  const batch = (rows: readonly object[]) => postBatch(`${service.url}${things}/batch`, key, rows);
  const deletionOf = (ID: string): object => ({ _delete: true, ID });
  const make = async (...ids: readonly string[]): Promise<void> => {
    for (const ID of ids) await api.post(things, { ID, Text: 'x' }).expect(201);
  };
  const left = async (): Promise<string[]> =>
    (await api.read<{ ID: string }[]>(`${things}?_fields=ID`)).map(({ ID }) => ID);

  it('deletes its task, or is unchanged without a task, in order with the other lines', async () => {
    await make('a', 'b');
    const [a, b] = [deletionOf('a'), deletionOf('b')];
    expect((await batch([a, a, { ID: 'a' }, { ID: 'b', Text: 'y' }, b])).lines).toEqual([
      { row: 1, status: 'deleted', unique_id: 'a' },
      { row: 2, status: 'unchanged', unique_id: 'a' },
      { row: 3, status: 'created', unique_id: 'a' },
      { row: 4, status: 'updated', unique_id: 'b' },
      { row: 5, status: 'deleted', unique_id: 'b' },
    ]);
    expect(await left()).toEqual(['a']);
  });

  it('names its task, and nothing else', async () => {
    const rows = [{ ...deletionOf('a'), Text: 'x', id: 1 }, { _delete: false, ID: 'a' }, { _delete: true }];
    const notAllowed = 'is not allowed in a row that deletes';
    expect((await batch(rows)).lines).toMatchObject([
      { errors: { Text: [notAllowed], id: [notAllowed] } },
      { errors: { _delete: ['must be true; leave it out to write the task'] } },
      { errors: { ID: ['is required'] } },
    ]);
  });

  it('is an error of its row if the stage of the task keeps it', async () => {
    await make('a', 'kept');
    await api.put(things, { ID: 'kept', Stage: 'Kept' }).expect(200);
    expect((await batch(['a', 'kept'].map(deletionOf))).lines).toMatchObject([
      { status: 'deleted' },
      { status: 'error', unique_id: 'kept', errors: { base: ['may not be deleted in Kept'] } },
    ]);
  });

  it('removes the links of its task, and each changed task has an event', async () => {
    await make('a', 'b', 'c');
    await api.put(things, { ID: 'a', Next: [{ ID: 'b' }, { ID: 'c' }] }).expect(200);
    await api.post(parts, { 'Part ID': 'p', Thing: { ID: 'a' } }).expect(201);
    const { next } = await eventsOf(api, '/api/v1/events?_after=now');
    await batch(['a', 'b'].map(deletionOf));
    expect(await left()).toEqual(['c']);
    expect(await api.read(`${things}/c`)).toMatchObject({ Before: [] });
    expect(await api.read(`${parts}/p`)).toMatchObject({ Thing: null });
    const { events } = await eventsOf(api, next);
    const last = events.map(({ type, data }) => `${type} ${data.task?.unique_id}`);
    const told = ['deleted a', 'deleted b', 'updated b', 'updated c', 'updated p'];
    expect(last.sort()).toEqual(told.map((event) => `task.${event}`));
  });

  it('at the same time as another of the same tasks: each task is deleted by one of them', async () => {
    await make('a', 'b');
    await api.put(things, { ID: 'a', Next: [{ ID: 'b' }] }).expect(200);
    const release = await holdTasks(service.dataSource, 'acme', 'a');
    const deletions = Promise.all([1, 2].map(() => batch(['a', 'b'].map(deletionOf))));
    await blocked(service.dataSource, 2);
    await release();
    const [one, two] = (await deletions).map(({ lines }) => lines as { status: string }[]);
    for (const row of [0, 1])
      expect([one?.[row]?.status, two?.[row]?.status].sort()).toEqual(['deleted', 'unchanged']);
    expect(await left()).toEqual([]);
  });
});
