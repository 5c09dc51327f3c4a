import { type Response, type Test } from 'supertest';
import { sendForm } from '../support/attachments.js';
import { type Client, startServiceWith } from '../support/service.js';

const definition = `
workspace: { id: acme }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Text, type: text }, { name: Files, type: file }]
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: Part, type: uniqueId, required: true }, { name: Note, type: text }]
relationships:
  - { id: parts, kind: many_to_many, from: { workflow: things, name: parts }, to: { workflow: parts, name: things } }
`;
const tasks = '/api/v1/workflows/things/tasks';
const parts = '/api/v1/workflows/parts/tasks';

const { service, api } = await startServiceWith(definition);

describe('4.1 tasks: versions', () => {
  const tagOf = async (id: string, client: Client = api): Promise<string> =>
    String((await client.get(`${tasks}/${id}`).expect(200)).headers['etag']);
  const versionOf = ({ headers }: Response): number =>
    Number(/^"(\d+)-\w+"$/.exec(String(headers['etag']))?.[1]);

  /** Makes a task, and gives its tag. */
  async function make(ID: string, further: object = {}): Promise<string> {
    await api.post(tasks, { ID, Text: 'first', ...further }).expect(201);
    return tagOf(ID);
  }

  /** Every write of a task under a condition. */
  const writes = (ID: string, name: string, value: string): Test[] => [
    api.post(tasks, { ID, Text: 'other' }).set(name, value),
    api.put(tasks, { ID, Text: 'other' }).set(name, value),
    api.delete(`${tasks}/${ID}`).set(name, value),
  ];

  it('every single-task response has an ETag, "<version>-<hash>"; an empty change makes no version', async () => {
    const created = await api.post(tasks, { ID: 'v', Text: 'a' }).expect(201);
    const first = versionOf(created);
    expect((await api.put(tasks, { ID: 'v', Text: 'a' })).headers['etag']).toBe(created.headers['etag']);
    expect(versionOf(await api.post(tasks, { ID: 'v', Text: 'b' }))).toBe(first + 1);
    const last = await api.put(tasks, { ID: 'v', Stage: 'Done' });
    expect(versionOf(last)).toBe(first + 2);
    expect(await tagOf('v')).toBe(last.headers['etag']);
  });

  it('If-None-Match on GET: 304 without a body while nothing has changed', async () => {
    const tag = await make('g');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await api.get(`${tasks}/g`).set('If-None-Match', known).expect(304);
      expect([answer.text, answer.headers['etag']]).toEqual(['', tag]);
    }
    await api.get(`${tasks}/g`).set('If-None-Match', '"1-zzzz"').expect(200);
    await api.put(tasks, { ID: 'g', Text: 'new' }).expect(200);
    await api.get(`${tasks}/g`).set('If-None-Match', tag).expect(200);
  });

  it('the hash covers the definition, which can change the body without changing the task', async () => {
    const other = definition.replace('acme', 'hashed');
    const hashed = await service.clientOf(other);
    await hashed.post(tasks, { ID: '1' }).expect(201);
    const tag = await tagOf('1', hashed);
    await service.apply(other.replace('name: Text', 'name: B, was: Text'));
    const { body } = await hashed.get(`${tasks}/1`).set('If-None-Match', tag).expect(200);
    expect(body).toHaveProperty('B');
    await hashed.put(tasks, { ID: '1', B: 'x' }).set('If-Match', tag).expect(200);
  });

  it('If-Match: 412 when stale or strange, or without a task; then nothing changes', async () => {
    const stale = await make('m');
    await api.put(tasks, { ID: 'm', Text: '2' }).set('If-Match', stale).expect(200);
    const tag = await tagOf('m');
    for (const condition of [stale, `W/${stale}`, 'abc', '"a" "b"', '"1-a'])
      for (const write of writes('m', 'If-Match', condition)) await write.expect(412);
    expect(await tagOf('m')).toBe(tag);
    await api.post(tasks, { ID: 'm', Text: '3' }).set('If-Match', `${stale}, ${tag}`).expect(200);
    await api.put(tasks, { ID: 'm', Text: '4' }).set('If-Match', '*').expect(200);
    // As a proxy that compresses sends it, and as a shell may.
    for (const form of [(own: string) => `W/${own}`, (own: string) => own.replaceAll('"', '')])
      await api
        .put(tasks, { ID: 'm', Text: form('') })
        .set('If-Match', form(await tagOf('m')))
        .expect(200);
    const last = await tagOf('m');
    await api.delete(`${tasks}/m`).set('If-Match', last).expect(204);
    for (const write of writes('m', 'If-Match', '*')) await write.expect(412);
    await api.get(`${tasks}/m`).expect(404);
  });

  it('If-None-Match: * on POST means create only: 412 if the task exists', async () => {
    await api.post(tasks, { ID: 'c', Text: 'first' }).set('If-None-Match', '*').expect(201);
    for (const condition of ['*', '*, *'])
      await api.post(tasks, { ID: 'c', Text: 'second' }).set('If-None-Match', condition).expect(412);
    expect(await api.read(`${tasks}/c`)).toMatchObject({ Text: 'first' });
  });

  it('tags in If-None-Match of a write: 400', async () => {
    const tag = await make('u');
    for (const given of [tag, `W/${tag}`, 'abc', ''])
      for (const write of writes('u', 'If-None-Match', given)) await write.expect(400);
    await api.put(`${tasks}/u/links/parts/b`).set('If-None-Match', tag).expect(400);
    const upload = `${tasks}/u/attachments/Files`;
    expect((await sendForm(api, upload, { filename: 'a.txt' }, { 'If-None-Match': tag })).status).toBe(400);
    expect(await tagOf('u')).toBe(tag);
  });

  it('a 412 says what to do', async () => {
    const stale = await make('told');
    await api.put(tasks, { ID: 'told', Text: '2' }).expect(200);
    for (const [name, value, ID, detail] of [
      ['If-Match', stale, 'told', 'The task has changed: GET it again and send its new ETag.'],
      ['If-None-Match', '*', 'told', 'There is a task `told` already.'],
      ['If-Match', '*', 'nobody', 'There is no task that If-Match could match.'],
    ] as const) {
      const { body } = await api.put(tasks, { ID, Text: '3' }).set(name, value).expect(412);
      expect(body).toMatchObject({ detail });
    }
  });

  // Rule: after a restore, tags of the time line that was lost match nothing.
  it('a tag names one change: another change to the same version, as after a restore, has another tag', async () => {
    await api.post(parts, { Part: 'p' }).expect(201);
    await make('2', { parts: [{ Part: 'p' }] });
    const dump = await service.dataSource.query<object[]>(
      `SELECT workspace_id, id, field_values, version, updated_at FROM tasks
       WHERE unique_value IN ('p', '2') ORDER BY id`,
    );
    const restore = (rows: readonly object[]): Promise<unknown> =>
      service.dataSource.query(
        `UPDATE tasks t SET field_values = r.field_values, version = r.version, updated_at = r.updated_at
         FROM json_populate_recordset(NULL::tasks, $1) r WHERE t.workspace_id = r.workspace_id AND t.id = r.id`,
        [JSON.stringify(rows)],
      );

    await api.put(tasks, { ID: '2', Text: 'on the lost line' }).expect(200);
    await api.put(parts, { Part: 'p', Note: 'lost, too' }).expect(200);
    const lost = await tagOf('2');
    await restore(dump);
    await api.put(tasks, { ID: '2', Text: 'on this line' }).expect(200);

    const now = await api.get(`${tasks}/2`).set('If-None-Match', lost).expect(200);
    expect(versionOf(now)).toBe(Number(/\d+/.exec(lost)?.[0]));
    for (const write of writes('2', 'If-Match', lost)) await write.expect(412);
    await api.put(`${tasks}/2/links/parts/p`).set('If-Match', lost).expect(412);
    // A linked task that came to the same version otherwise shows in the whole tag, and is no matter of If-Match.
    await api.put(parts, { Part: 'p', Note: 'here' }).expect(200);
    const here = await tagOf('2');
    await restore(dump.slice(0, 1));
    await api.put(parts, { Part: 'p', Note: 'there' }).expect(200);
    await api.get(`${tasks}/2`).set('If-None-Match', here).expect(200);
    const tag = String(now.headers['etag']);
    await api.put(tasks, { ID: '2', Text: 'on top' }).set('If-Match', tag).expect(200);
  });

  it('a tag is never used twice, even if a task is deleted and created again', async () => {
    const old = await make('again');
    await api.delete(`${tasks}/again`).expect(204);
    const anew = await make('again');
    await api.get(`${tasks}/again`).set('If-None-Match', old).expect(200);
    await api.delete(`${tasks}/again`).set('If-Match', old).expect(412);
    expect(anew.split('-')[0]).not.toBe(old.split('-')[0]);
  });

  it('of writers with the same version one succeeds, and of writers who would create one creates', async () => {
    const tag = await make('race');
    const statuses = async (ask: (n: number) => Test): Promise<number[]> =>
      (await Promise.all([1, 2, 3, 4].map(ask))).map(({ status }) => status).sort();
    const write = (n: number): Test => api.put(tasks, { ID: 'race', Text: `w${n}` });
    expect(await statuses((n) => write(n).set('If-Match', tag))).toEqual([200, 412, 412, 412]);
    const create = (n: number): Test => api.post(tasks, { ID: 'made once', Text: `w${n}` });
    expect(await statuses((n) => create(n).set('If-None-Match', '*'))).toEqual([201, 412, 412, 412]);
  });
});
