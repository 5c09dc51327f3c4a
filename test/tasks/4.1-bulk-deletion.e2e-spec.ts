import { type Response } from 'supertest';
import { eventsOf } from '../events/following.js';
import { postBatch } from '../support/batch.js';
import { blocked } from '../support/blocked.js';
import { startServiceWith } from '../support/service.js';
import { holdTasks } from '../support/held-tasks.js';

const things = '/api/v1/workflows/things/tasks';
const parts = '/api/v1/workflows/parts/tasks';
const yaml = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Kept, change: [Stage] }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Text, type: text }
      - { name: Docs, type: file }
  - id: parts
    name: Parts
    stages: [{ name: Open }]
    fields:
      - { name: Part ID, type: uniqueId, required: true }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
  - { id: next, kind: many_to_many, from: { workflow: things, name: Next }, to: { workflow: things, name: Before } }
`;

const { service, api, key } = await startServiceWith(yaml, {}, 'admin');
describe('4.1 many tasks are deleted', () => {
  beforeEach(() => service.dataSource.query('DELETE FROM tasks'));

  const batch = (rows: readonly object[] | string, query = '', type = 'application/x-ndjson') =>
    postBatch(`${service.url}${things}/batch${query}`, key, rows, { 'Content-Type': type });
  const deletionOf = (ID: string): object => ({ _delete: true, ID });
  const make = async (...ids: readonly string[]): Promise<void> => {
    for (const ID of ids) await api.post(things, { ID, Text: 'x' }).expect(201);
  };
  const left = async (): Promise<string[]> =>
    (await api.read<{ ID: string }[]>(`${things}?_fields=ID`)).map(({ ID }) => ID);
  const sync = (filter: string, expected: number): string =>
    `?_sync=${encodeURIComponent(filter)}&_expect=${expected}`;

  describe('a line of a batch with "_delete": true', () => {
    it('is deleted, or unchanged when there is none, in order with the other lines', async () => {
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

    it('names its task and nothing else', async () => {
      const rows = [{ ...deletionOf('a'), Text: 'x', id: 1 }, { _delete: false, ID: 'a' }, { _delete: true }];
      const isNoField = ['is not a field of this workflow; did you mean ID?'];
      expect((await batch(rows)).lines).toMatchObject([
        { errors: { Text: ['is not allowed in a row that deletes'], id: isNoField } },
        { errors: { _delete: ['must be true; leave it out to write the task'] } },
        { errors: { ID: ['is required'] } },
      ]);
    });

    it('ends the links of its task; a task that its stage keeps is an error of its row', async () => {
      await make('a', 'kept');
      await api.post(parts, { 'Part ID': 'p', Thing: { ID: 'a' } }).expect(201);
      await api.put(things, { ID: 'kept', Stage: 'Kept' }).expect(200);
      expect((await batch(['a', 'kept'].map(deletionOf))).lines).toMatchObject([
        { status: 'deleted' },
        { status: 'error', unique_id: 'kept', errors: { base: ['may not be deleted in Kept'] } },
      ]);
      expect(await api.read(`${parts}/p`)).toMatchObject({ Thing: null });
    });

    it('stands in batches that are all or nothing, and in rehearsals', async () => {
      await make('a');
      expect((await batch([deletionOf('a'), { ID: 'b', No: 1 }], '?_atomic=true')).status).toBe(422);
      expect((await batch([deletionOf('a')], '?_dry_run=true')).lines).toMatchObject([{ status: 'deleted' }]);
      expect(await left()).toEqual(['a']);
      await batch([deletionOf('a')], '?_atomic=true');
      expect(await left()).toEqual([]);
    });
  });

  describe('DELETE of what a filter finds', () => {
    it('deletes all, with links and files, as single deletes do, and says how many', async () => {
      await make('a', 'b', 'c');
      const docs = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' }];
      await api.put(things, { ID: 'a', Docs: docs, Next: [{ ID: 'b' }, { ID: 'c' }] }).expect(200);
      await api.post(parts, { 'Part ID': 'p', Thing: { ID: 'a' } }).expect(201);
      await api.put(things, { ID: 'c', Text: 'stays' }).expect(200);
      const { next } = await eventsOf(api, '/api/v1/events?_after=now');
      await api.delete(`${things}?Text=x&_expect=2`).expect(200, { deleted: 2 });
      expect(await left()).toEqual(['c']);
      expect(await api.read(`${things}/c`)).toMatchObject({ Before: [] });
      expect(await api.read(`${parts}/p`)).toMatchObject({ Thing: null });
      const blobs = await service.dataSource.query<unknown[]>('SELECT FROM blobs WHERE task_id IS NOT NULL');
      expect(blobs).toEqual([]);
      const { events } = await eventsOf(api, next);
      const last = events.map(({ type, data }) => `${type} ${data.task?.unique_id}`);
      const told = ['deleted a', 'deleted b', 'updated c', 'updated p'];
      expect(last.sort()).toEqual(told.map((event) => `task.${event}`));
    });

    it('is 412 with the number found where another was expected, and deletes nothing', async () => {
      await make('a', 'b', 'c');
      for (const expected of [0, 2, 4]) {
        const { body } = await api.delete(`${things}?Text=x&_expect=${expected}`).expect(412);
        expect(body).toMatchObject({ status: 412, found: 3 });
      }
      expect(await left()).toHaveLength(3);
      await api.delete(`${things}?Text=none&_expect=0`).expect(200, { deleted: 0 });
    });

    it.each([
      ['Text=x', { _expect: ['is required: the number of tasks to delete'] }],
      ['_expect=3', { base: ['needs a filter'] }],
      ['Text=x&_expect=1001', { _expect: ['is not a whole number from 0 to 1000'] }],
      ['Text=x&_limit=5&_expect=1', { _limit: ['is for lists only'] }],
      ['text=x&_expect=1', { text: ['is not a field of this workflow; did you mean Text?'] }],
    ])('%s is 422', async (query, errors) => {
      await make('a');
      await api.delete(`${things}?${query}`).expect(422, { errors });
      expect(await left()).toEqual(['a']);
    });

    it('one that its stage keeps keeps all', async () => {
      await make('a', 'b');
      await api.put(things, { ID: 'b', Stage: 'Kept' }).expect(200);
      const errors = { base: ['b: may not be deleted in Kept'] };
      await api.delete(`${things}?Text=x&_expect=2`).expect(422, { errors });
      expect(await left()).toEqual(['a', 'b']);
    });

    it('takes effect completely or not at all beside writes of the same tasks', async () => {
      await make('a', 'b', 'c');
      const release = await holdTasks(service.dataSource, 'acme', 'a', 'b');
      const sent: Promise<Response>[] = [];
      for (const request of [
        api.put(things, { ID: 'a', Text: 'moved away' }),
        api.put(things, { ID: 'c', Next: [{ ID: 'b' }] }),
        api.delete(`${things}?Text=x&_expect=3`),
      ]) {
        sent.push(request.then((answer) => answer));
        await blocked(service.dataSource, sent.length);
      }
      await release();
      const answers = await Promise.all(sent);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 412]);
      expect(answers[2]?.body).toMatchObject({ found: 2 });
      expect(await left()).toEqual(['a', 'b', 'c']);
    });

    it('two at once that find the same tasks: one deletes them', async () => {
      await make('a', 'b');
      const release = await holdTasks(service.dataSource, 'acme', 'a');
      const deletions = Promise.all([1, 2].map(() => api.delete(`${things}?Text=x&_expect=2`)));
      await blocked(service.dataSource, 2);
      await release();
      expect((await deletions).map(({ status }) => status).sort()).toEqual([200, 412]);
      expect(await left()).toEqual([]);
    });
  });

  describe('a batch with _sync', () => {
    it('deletes the tasks of the filter that no line names; a refused line also names its task', async () => {
      await make('a', 'b', 'c', 'd');
      await api.put(things, { ID: 'd', Text: 'other' }).expect(200);
      const rows = [{ ID: 'a' }, { ID: 'b', No: 1 }, { ID: 'e', Text: 'x' }];
      const { status, lines } = await batch(rows, sync('Text=x', 1));
      expect([status, lines.at(-1)]).toEqual([200, { deleted: 1, found: 1 }]);
      expect(await left()).toEqual(['a', 'b', 'd', 'e']);
    });

    it('tells in the last line that it finds another number, and deletes nothing', async () => {
      await make('a', 'b', 'c');
      const said = 'The filter finds 2 tasks to delete, not 1: no task was deleted.';
      const last = { deleted: 0, found: 2, errors: { _expect: [said] } };
      for (const [body, type] of [['{"ID":"a"}'], ['[{"ID":"a"}]', 'application/json']] as const) {
        const { status, lines } = await batch(body, sync('Text=x', 1), type);
        expect([status, ...lines]).toMatchObject([200, { status: 'unchanged' }, last]);
      }
      expect(await left()).toEqual(['a', 'b', 'c']);
    });

    it('a rehearsal names the first 100 tasks that it would delete', async () => {
      const ids = Array.from({ length: 103 }, (_, n) => `r-${String(n).padStart(3, '0')}`);
      await batch(ids.map((ID) => ({ ID, Text: 'x' })));
      const { lines } = await batch([{ ID: 'r-001' }], `${sync('Text=x', 102)}&_dry_run=true`);
      const told = [ids[0], ...ids.slice(2, 101)];
      expect(lines.at(-1)).toEqual({ deleted: 0, found: 102, would_delete: told });
      expect(await left()).toEqual(ids);
    });

    it('all or nothing: rows and deletions are one transaction, and another number is 412', async () => {
      await make('a', 'b');
      const rows = ['a', 'n'].map((ID) => ({ ID, Text: 'x' }));
      const refused = await batch(rows, `${sync('Text=x', 2)}&_atomic=true`);
      expect([refused.status, refused.lines]).toMatchObject([412, [{ found: 1 }]]);
      expect(await left()).toEqual(['a', 'b']);
      const { lines } = await batch(rows, `${sync('Text=x', 1)}&_atomic=true`);
      expect(lines.at(-1)).toEqual({ deleted: 1, found: 1 });
      expect(await left()).toEqual(['a', 'n']);
    });

    it('deletes nothing where a line does not tell which task it names', async () => {
      await make('a', 'b');
      const errors = { _sync: ['deletes nothing because row 2 has no Unique ID'] };
      for (const line of ['{"ID":', '{"Text":"x"}', '[]']) {
        const { lines } = await batch(`{"ID":"a"}\n${line}\n`, sync('Text=x', 1));
        expect([line, lines.at(-1)]).toEqual([line, { deleted: 0, errors }]);
      }
      expect(await left()).toEqual(['a', 'b']);
    });

    it('deletes nothing where the body is cut', async () => {
      await make('a', 'b');
      const body = new TransformStream<Uint8Array, Uint8Array>();
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
      const init = { method: 'POST', headers, body: body.readable, duplex: 'half' };
      const answered = fetch(`${service.url}${things}/batch${sync('Text=x', 1)}`, init);
      const writer = body.writable.getWriter();
      await writer.write(new TextEncoder().encode('{"ID":"a","Text":"y"}\n'));
      // The first row is answered when it is written.
      const reader = (await answered).body?.getReader();
      await reader?.read();
      const rest = reader?.read();
      await writer.abort(new Error('cut'));
      await expect(rest).rejects.toThrow();
      expect(await api.read(`${things}/a`)).toMatchObject({ Text: 'y' });
      expect(await left()).toEqual(['a', 'b']);
    });

    it.each([
      ['_sync=Text%3Dx', { _expect: ['is required: the number of tasks to delete'] }],
      ['_expect=1', { _expect: ['needs _sync'] }],
      ['_sync=text%3Dx&_expect=1', { _sync: ['text is not a field of this workflow; did you mean Text?'] }],
      ['_sync=Text%3Dx&_expect=10001', { _expect: ['is not a whole number from 0 to 10000'] }],
    ])('%s is 422, and no line is written', async (query, errors) => {
      expect(await batch([{ ID: 'a' }], `?${query}`)).toMatchObject({ status: 422, lines: [{ errors }] });
      expect(await left()).toEqual([]);
    });

    it('two at once with different tasks never delete the tasks of the other', async () => {
      await make('old-1', 'old-2');
      const release = await holdTasks(service.dataSource, 'acme', 'old-1');
      const first = batch([{ ID: 'one', Text: 'x' }], sync('Text=x', 2));
      await blocked(service.dataSource);
      const second = await batch([{ ID: 'two', Text: 'x' }], sync('Text=x', 2));
      await release();
      const answers = [await first, second];
      const deleted = answers.map(({ lines }) => (lines.at(-1) as { deleted: number }).deleted);
      // Each expects the old ones alone; whoever finds that of the other, too, deletes nothing.
      expect(deleted.reduce((sum, one) => sum + one, 0)).toBe(4 - (await left()).length);
      expect(await left()).toEqual(expect.arrayContaining(['one', 'two']));
    });
  });
});
