import { type Response, type Test } from 'supertest';
import {
  blobIds,
  filesOf,
  type FormFile,
  inline,
  sendForm,
  stateOf,
  storedFiles,
} from '../support/attachments.js';
import { workflowOf } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const numbered = ['name: ID, type: uniqueId, autoincrement: true', 'name: Text, was: Text, type: text'];
const { service, api } = await startServiceWith([
  workflowOf(numbered),
  workflowOf(['name: Text, type: text'], 'nameless'),
  workflowOf([
    'name: ID, type: uniqueId, required: true',
    'name: Proof, type: file, limit: 1',
    'name: Docs, type: file',
  ], 'about'),
]); // prettier-ignore
const nameless = service.client(await service.key('nameless'));
const about = service.client(await service.key('about'));
await about.post(tasks, { ID: '1' }).expect(201);

describe('4.1 tasks: Idempotency-Key', () => {
  const post = (key: string, body: object | string, client = api): Test =>
    client.post(tasks, body).set('Idempotency-Key', key);
  const count = async (client = api): Promise<number> => ((await client.get(tasks)).body as unknown[]).length;

  it('the same key and body give the same answer and no second task', async () => {
    const before = await count();
    const first = await post('same', { Text: 'one' }).expect(201);
    await api.put(tasks, { ID: (first.body as { ID: string }).ID, Text: 'changed since' }).expect(200);
    const second = await post('same', { Text: 'one' }).expect(201);
    expect(second.text).toBe(first.text);
    expect(second.headers['etag']).toBe(first.headers['etag']);
    expect(await count()).toBe(before + 1);
  });

  it('the same key with another body is 409', async () => {
    await post('other', { Text: 'one' }).expect(201);
    for (const body of [{ Text: 'two' }, {}, { Text: null }, '{"Text":1}', '{"Text":"1"}'])
      await post('other', body).expect(409, /was used for another request: use a new key/);
  });

  it('the key matters if a workflow has no Unique ID', async () => {
    const first = await post('n', { Text: 'x' }, nameless).expect(201);
    await post('n', { Text: 'x' }, nameless).expect(201, first.text);
    expect(await count(nameless)).toBe(1);
  });

  it('of 10 simultaneous requests one creates the task, and all get its answer', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('at once', { Text: 'race' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  it('a refused request does not use up its key', async () => {
    await post('refused', { Nope: 1 }).expect(422);
    await post('refused', { Text: 'now' }).expect(201);
  });

  it('the key is stored in the transaction of the write: without a stored answer, no task is made', async () => {
    const before = await count();
    const { dataSource } = service;
    await dataSource.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER fail BEFORE UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION fail()`);
    await post('unlucky', { Text: 'lost' }).expect(503);
    await dataSource.query('DROP TRIGGER fail ON idempotency_keys; DROP FUNCTION fail');
    expect(await count()).toBe(before);
    await post('unlucky', { Text: 'lost' }).expect(201);
    expect(await count()).toBe(before + 1);
  });

  it('after 24 h the key is free again, and old keys are deleted', async () => {
    const hours = (count: number): number => count * 3_600_000;
    for (const key of ['old', 'older']) await post(key, { Text: 'then' }).expect(201);
    await service.settle({ after: hours(23) });
    await post('old', { Text: 'now' }).expect(409);
    await service.settle({ after: hours(2) });
    await post('old', { Text: 'now' }).expect(201);
    const left = await service.dataSource.query<unknown[]>(
      `SELECT key FROM idempotency_keys WHERE key LIKE 'old%'`,
    );
    expect(left).toEqual([{ key: 'old' }]);
  });

  it('a definition that changed meanwhile does not change the answer', async () => {
    const first = await post('before', { Text: 'x' }).expect(201);
    await service.apply(workflowOf([...numbered, 'name: More, type: text, required: true']));
    await post('before', { Text: 'x' }).expect(201, first.text);
  });

  it.each(['', 'x'.repeat(256)])('a key has 1 to 255 characters (%#)', async (key) => {
    await post(key, { Text: 'x' }).expect(400);
  });

  it('PUT and DELETE need no key, and ignore a key', async () => {
    await api.post(tasks, { ID: '900', Text: 'x', More: 'y' }).expect(201);
    for (const Text of ['a', 'b'])
      await api.put(tasks, { ID: '900', Text }).set('Idempotency-Key', 'put').expect(200);
    await api.delete(`${tasks}/900`).set('Idempotency-Key', 'put').expect(204);
  });

  describe('for parts of a task', () => {
    const below = `${tasks}/1`;
    it('of 4 simultaneous comments one is made, and all get the same answer', async () => {
      const comments = `${below}/comments`;
      const body = { body: 'Well' };
      const send = (): Test => about.post(comments, body).set('Idempotency-Key', 'comments');
      const answers = await Promise.all(Array.from({ length: 4 }, send));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set([...answers, await send()].map(({ text }) => text)).size).toBe(1);
      expect((await about.get(comments)).body).toHaveLength(1);
      // Without a key it is another.
      await about.post(comments, body).expect(201);
    });

    const upload = (key: string, file: FormFile, field = 'Docs'): Promise<Response> =>
      sendForm(about, `${below}/attachments/${field}`, file, { 'Idempotency-Key': key });

    it('of equal simultaneous uploads, and of equal tasks with a file, the bytes of one are kept', async () => {
      const file = { filename: 'a.txt', bytes: 'x'.repeat(100_000) };
      const task = { ID: 'with a file', Docs: [inline('f.txt')] };
      const textsOf = async (sent: readonly PromiseLike<Response>[]): Promise<Set<string>> =>
        new Set((await Promise.all(sent)).map(({ status, text }) => `${status} ${text}`));
      const uploads = await textsOf([1, 2, 3, 4].map(() => upload('file', file)));
      expect([...uploads]).toEqual([`201 ${(await upload('file', file)).text}`]);
      expect((await textsOf([1, 2, 3, 4].map(() => post('with a file', task, about)))).size).toBe(1);
      expect(filesOf(await about.get(below), 'Docs')).toHaveLength(1);
      expect(await storedFiles(service.config.blobStore)).toHaveLength(2);
      expect((await blobIds(service)).rows).toEqual((await blobIds(service)).named);
    });

    it('an upload that took the last place is repeated; another one is refused for lack of places', async () => {
      const first = await upload('last', { filename: 'p.txt' }, 'Proof');
      expect(first.status).toBe(201);
      const again = await upload('last', { filename: 'p.txt' }, 'Proof');
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect((await upload('later', { filename: 'p.txt' }, 'Proof')).status).toBe(422);
    });

    it('another name, type, field or byte is another upload: 409, and nothing is kept', async () => {
      const before = await stateOf(service);
      const file = { filename: 'a.txt', bytes: 'x'.repeat(100_000) };
      for (const other of [
        { ...file, filename: 'b.txt' },
        { ...file, contentType: 'text/plain' },
        { ...file, bytes: `${file.bytes.slice(1)}y` },
        { ...file, bytes: '' },
      ])
        expect((await upload('file', other)).status).toBe(409);
      expect((await upload('file', file, 'Proof')).status).toBe(409);
      expect(await stateOf(service)).toEqual(before);
    });
  });
});
