import { type Test } from 'supertest';
import { workflowOf } from './support/definitions.js';
import { type Client, startService, type TestService } from './support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

describe('4.1 tasks: Idempotency-Key', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(
      workflowOf(['name: ID, type: uniqueId, autoincrement: true', 'name: Text, type: text']),
    );
    await service.apply(workflowOf(['name: Text, type: text', 'name: Number, type: number'], 'nameless'));
    api = service.client(await service.key('acme'));
  });
  afterAll(() => service.stop());

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

  it('spelled with other white space or in another order of keys, it is the same body', async () => {
    const first = await post('spelled', '{"ID":"77","Text":"one"}').expect(201);
    expect((await post('spelled', '{ "Text": "one", "ID": "77" }').expect(201)).text).toBe(first.text);
  });

  it('the same key with another body is 409', async () => {
    await post('other', { Text: 'one' }).expect(201);
    for (const body of [
      { Text: 'two' },
      {},
      { Text: ['one'] },
      { Text: null },
      '{"Text":1}',
      '{"Text":"1"}',
    ]) {
      const { body: problem } = await post('other', body).expect(409);
      expect(problem).toMatchObject({
        status: 409,
        detail: 'This Idempotency-Key was given to another request.',
      });
    }
  });

  it('it matters where a workflow has no Unique ID', async () => {
    const nameless = service.client(await service.key('nameless'));
    const sent = { Text: 'x', Number: 1 };
    const answers = [await post('n', sent, nameless), await post('n', sent, nameless)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(await count(nameless)).toBe(1);
  });

  it('another workspace may use the same key for itself', async () => {
    const nameless = service.client(await service.key('nameless'));
    await post('shared', { Text: 'ours' }).expect(201);
    expect((await post('shared', { Text: 'theirs' }, nameless).expect(201)).body).toMatchObject({
      Text: 'theirs',
    });
  });

  it('of 40 that come at once one creates the task, and all get its answer', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 40 }, () => post('at once', { Text: 'race' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  it('a request that was refused has not used its key', async () => {
    await post('refused', { Nope: 1 }).expect(422);
    await post('refused', { Text: 'now' }).expect(201);
  });

  it('is stored in the transaction of the write: what cannot be stored makes no task', async () => {
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

  it('after 24 h the key is free again, and old keys go', async () => {
    for (const key of ['old', 'older']) await post(key, { Text: 'then' }).expect(201);
    await age('23 hours');
    await post('old', { Text: 'now' }).expect(409);
    await age('2 hours');
    await post('old', { Text: 'now' }).expect(201);
    const left = await service.dataSource.query<unknown[]>(
      `SELECT key FROM idempotency_keys WHERE key LIKE 'old%'`,
    );
    expect(left).toEqual([{ key: 'old' }]);
  });

  it('a definition that changed meanwhile does not change the answer', async () => {
    const first = await post('before', { Text: 'x' }).expect(201);
    await service.apply(workflowOf(['name: ID, type: uniqueId, autoincrement: true', 'name: Text, was: Text, type: text', 'name: More, type: text, required: true'])); // prettier-ignore
    expect((await post('before', { Text: 'x' }).expect(201)).text).toBe(first.text);
  });

  it.each(['', 'x'.repeat(256)])('a key has 1 to 255 characters (%#)', async (key) => {
    await post(key, { Text: 'x' }).expect(400);
  });

  it('PUT and DELETE need none and pay no heed to one', async () => {
    await api.post(tasks, { ID: '900', Text: 'x', More: 'y' }).expect(201);
    for (const Text of ['a', 'b'])
      await api.put(tasks, { ID: '900', Text }).set('Idempotency-Key', 'put').expect(200);
    await api.delete(`${tasks}/900`).set('Idempotency-Key', 'put').expect(204);
  });

  async function age(by: string): Promise<void> {
    await service.dataSource.query(`UPDATE idempotency_keys SET created_at = created_at - $1::interval`, [
      by,
    ]);
  }
});
