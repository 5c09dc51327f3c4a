import { type Response, type Test } from 'supertest';
import { sendForm } from '../support/attachments.js';
import { everyType, workflowOf } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const linked = `
workspace: { id: both }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Note, type: text }, { name: Files, type: file }]
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: Part, type: uniqueId, required: true }, { name: Note, type: text }]
relationships:
  - { id: parts, kind: many_to_many, from: { workflow: things, name: parts }, to: { workflow: parts, name: things } }
`;
const tasks = '/api/v1/workflows/things/tasks';

const { service, api } = await startServiceWith(everyType);

describe('4.1 tasks: versions', () => {
  async function tagOf(id: string): Promise<string> {
    const { headers } = await api.get(`${tasks}/${id}`).expect(200);
    return String(headers['etag']);
  }

  const versionOf = ({ headers }: Response): number =>
    Number(/^"(\d+)-\w+"$/.exec(String(headers['etag']))?.[1]);

  it('every single-task response has an ETag, "<version>-<hash>"; a no-op write makes no new version', async () => {
    const created = await api.post(tasks, { ID: 'v', Text: 'a' }).expect(201);
    const first = versionOf(created);
    expect((await api.put(tasks, { ID: 'v', Text: 'a' })).headers['etag']).toBe(created.headers['etag']);
    expect(versionOf(await api.post(tasks, { ID: 'v', Text: 'b' }))).toBe(first + 1);
    const last = await api.put(tasks, { ID: 'v', Stage: 'Done' });
    expect(versionOf(last)).toBe(first + 2);
    expect(await tagOf('v')).toBe(last.headers['etag']);
  });

  it('If-None-Match on GET: 304 without a body while nothing has changed', async () => {
    await api.post(tasks, { ID: 'g' }).expect(201);
    const tag = await tagOf('g');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await api.get(`${tasks}/g`).set('If-None-Match', known).expect(304);
      expect([answer.text, answer.headers['etag']]).toEqual(['', tag]);
    }
    await api.get(`${tasks}/g`).set('If-None-Match', '"1-zzzz"').expect(200);
    await api.put(tasks, { ID: 'g', Text: 'new' }).expect(200);
    await api.get(`${tasks}/g`).set('If-None-Match', tag).expect(200);
  });

  it('the hash covers the definition, which may change the body without changing the task', async () => {
    const yaml = (name: string): string =>
      workflowOf(['name: ID, type: uniqueId, required: true', name], 'hashed');
    const hashed = await service.clientOf(yaml('name: A, type: text'));
    const { headers } = await hashed.post(tasks, { ID: '1' }).expect(201);
    await service.apply(yaml('name: B, was: A, type: text'));
    const answer = await hashed.get(`${tasks}/1`).set('If-None-Match', String(headers['etag'])).expect(200);
    expect(answer.body).toHaveProperty('B');
    await hashed.put(tasks, { ID: '1', B: 'x' }).set('If-Match', String(headers['etag'])).expect(200);
  });

  it('If-Match on PUT, POST and DELETE: 412 when stale, and nothing is changed', async () => {
    await api.post(tasks, { ID: 'm', Text: '1' }).expect(201);
    const stale = await tagOf('m');
    await api.put(tasks, { ID: 'm', Text: '2' }).set('If-Match', stale).expect(200);
    await api.put(tasks, { ID: 'm', Text: '3' }).set('If-Match', stale).expect(412);
    await api.post(tasks, { ID: 'm', Text: '3' }).set('If-Match', stale).expect(412);
    await api.delete(`${tasks}/m`).set('If-Match', stale).expect(412);
    await api.put(tasks, { ID: 'm', Text: '3' }).set('If-Match', 'nonsense').expect(412);
    await api
      .put(tasks, { ID: 'm', Text: '3' })
      .set('If-Match', `W/${await tagOf('m')}`)
      .expect(412);
    expect((await api.get(`${tasks}/m`)).body).toMatchObject({ Text: '2' });
    await api
      .post(tasks, { ID: 'm', Text: '3' })
      .set('If-Match', `${stale}, ${await tagOf('m')}`)
      .expect(200);
    await api.put(tasks, { ID: 'm', Text: '4' }).set('If-Match', '*').expect(200);
    await api
      .delete(`${tasks}/m`)
      .set('If-Match', await tagOf('m'))
      .expect(204);
  });

  it('If-Match: 412 when there is no task, and none is created', async () => {
    await api.put(tasks, { ID: 'none' }).set('If-Match', '*').expect(412);
    await api.post(tasks, { ID: 'none' }).set('If-Match', '*').expect(412);
    await api.delete(`${tasks}/none`).set('If-Match', '*').expect(412);
    await api.get(`${tasks}/none`).expect(404);
  });

  it('If-None-Match: * on POST means create only: 412 when it exists', async () => {
    await api.post(tasks, { ID: 'c', Text: 'first' }).set('If-None-Match', '*').expect(201);
    await api.post(tasks, { ID: 'c', Text: 'second' }).set('If-None-Match', '*').expect(412);
    await api.post(tasks, { ID: 'c', Text: 'third' }).set('If-None-Match', '*, *').expect(412);
    expect((await api.get(`${tasks}/c`)).body).toMatchObject({ Text: 'first' });
  });

  it('If-None-Match with tags on a write: 412 when one of them is that of the task, compared weakly as a whole', async () => {
    await api.post(tasks, { ID: 'u', Text: 'first' }).expect(201);
    const stale = await tagOf('u');
    await api.put(tasks, { ID: 'u', Text: 'second' }).expect(200);
    const tag = await tagOf('u');
    for (const known of [tag, `W/${tag}`, `"other", ${stale},${tag}`]) {
      await api.post(tasks, { ID: 'u', Text: 'third' }).set('If-None-Match', known).expect(412);
      await api.put(tasks, { ID: 'u', Text: 'third' }).set('If-None-Match', known).expect(412);
      await api.delete(`${tasks}/u`).set('If-None-Match', known).expect(412);
    }
    expect((await api.get(`${tasks}/u`)).body).toMatchObject({ Text: 'second' });
    // Of the same version, but shown by another definition.
    const elsewhere = tag.replace(/"$/, 'x"');
    await api
      .put(tasks, { ID: 'u', Text: 'third' })
      .set('If-None-Match', `${stale}, ${elsewhere}, "-"`)
      .expect(200);
    await api.put(tasks, { ID: 'u', Text: 'x' }).set('If-None-Match', await tagOf('u')).set('If-Match', '*').expect(412); // prettier-ignore
    await api
      .put(tasks, { ID: 'u', Day: 'x' })
      .set('If-None-Match', await tagOf('u'))
      .expect(422);
    await api.delete(`${tasks}/u`).set('If-None-Match', tag).expect(204);
    await api.put(tasks, { ID: 'u' }).set('If-None-Match', tag).expect(404);
    await api.post(tasks, { ID: 'u' }).set('If-None-Match', tag).expect(201);
  });

  it.each(['If-Match', 'If-None-Match'])('%s that holds no entity tags is not met: 412', async (name) => {
    await api.post(tasks, { ID: 'strange', Text: 'kept' });
    for (const strange of ['abc', '"a" "b"', '"1-a']) {
      await api.post(tasks, { ID: 'new', Text: 'x' }).set(name, strange).expect(412);
      await api.put(tasks, { ID: 'strange', Text: 'x' }).set(name, strange).expect(412);
      await api.delete(`${tasks}/strange`).set(name, strange).expect(412);
    }
    expect((await api.get(`${tasks}/strange`)).body).toMatchObject({ Text: 'kept' });
  });

  it('a 412 says how to proceed', async () => {
    await api.post(tasks, { ID: 'told', Text: '1' }).expect(201);
    const tag = await tagOf('told');
    await api.put(tasks, { ID: 'told', Text: '2' }).expect(200);
    const told = async (name: string, value: string, ID = 'told'): Promise<unknown> =>
      (await api.put(tasks, { ID, Text: '3' }).set(name, value).expect(412)).body as unknown;
    const detail = (text: string): unknown => expect.objectContaining({ detail: text });
    expect([
      await told('If-Match', tag),
      await told('If-None-Match', '*'),
      await told('If-None-Match', await tagOf('told')),
      await told('If-Match', '*', 'nobody'),
    ]).toEqual([
      detail('The task has changed since: GET it again and send its new ETag.'),
      detail('There is a task `told` already.'),
      detail('If-None-Match names the current ETag of the task.'),
      detail('There is no task that If-Match could match.'),
    ]);
  });

  it('If-None-Match sees the linked tasks as the tag does, and stands before links and attachments too', async () => {
    const both = await service.clientOf(linked);
    const [things, parts] = ['/api/v1/workflows/things/tasks', '/api/v1/workflows/parts/tasks'];
    const readTag = async (): Promise<string> => String((await both.get(`${things}/1`)).headers['etag']);
    await both.post(parts, { Part: 'a' }).expect(201);
    await both.post(parts, { Part: 'b' }).expect(201);
    await both.post(things, { ID: '1', parts: [{ Part: 'a' }] }).expect(201);
    const before = await readTag();
    await both.put(parts, { Part: 'a', Note: 'n' }).expect(200);
    const tag = await readTag();
    expect(tag).not.toBe(before);
    const file = { filename: 'a.txt' };
    await both.post(things, { ID: '1', Note: 'x' }).set('If-None-Match', tag).expect(412);
    await both.put(`${things}/1/links/parts/b`).set('If-None-Match', tag).expect(412);
    await both.delete(`${things}/1/links/parts/a`).set('If-None-Match', tag).expect(412);
    expect(
      (await sendForm(both, `${things}/1/attachments/Files`, file, { 'If-None-Match': tag })).status,
    ).toBe(412);
    expect(await readTag()).toBe(tag);
    await both.post(things, { ID: '1', Note: 'x' }).set('If-None-Match', before).expect(200);
    const next = await readTag();
    await both.delete(`${things}/1`).set('If-None-Match', next).expect(412);
    await both.delete(`${things}/1`).set('If-None-Match', tag).expect(204);
  });

  // Rule: after a restore, tags of the time line that was lost match nothing.
  it('a tag names one change: another change to the same version, as after a restore, has another tag', async () => {
    const both = await service.clientOf(linked);
    const [things, parts] = ['/api/v1/workflows/things/tasks', '/api/v1/workflows/parts/tasks'];
    await both.post(parts, { Part: 'p' }).expect(201);
    await both.post(things, { ID: '2', parts: [{ Part: 'p' }] }).expect(201);
    const dump = await dumpTasks();

    await both.put(things, { ID: '2', Note: 'on the lost line' }).expect(200);
    await both.put(parts, { Part: 'p', Note: 'lost, too' }).expect(200);
    const lost = String((await both.get(`${things}/2`).expect(200)).headers['etag']);
    await restoreTasks(dump);
    await both.put(things, { ID: '2', Note: 'on this line' }).expect(200);

    const now = await both.get(`${things}/2`).set('If-None-Match', lost).expect(200);
    const tag = String(now.headers['etag']);
    expect(versionOf(now)).toBe(Number(/\d+/.exec(lost)?.[0]));
    await both.put(things, { ID: '2', Note: 'over it' }).set('If-Match', lost).expect(412);
    await both.put(`${things}/2/links/parts/p`).set('If-Match', lost).expect(412);
    await both.delete(`${things}/2`).set('If-Match', lost).expect(412);
    // A linked task that came to the same version otherwise shows in the whole tag, and is no matter of If-Match.
    await both.put(parts, { Part: 'p', Note: 'here' }).expect(200);
    const linkedAnew = await both.get(`${things}/2`).expect(200);
    await restoreTasks(dump.slice(0, 1));
    await both.put(parts, { Part: 'p', Note: 'there' }).expect(200);
    await both.get(`${things}/2`).set('If-None-Match', String(linkedAnew.headers['etag'])).expect(200);
    await both.put(things, { ID: '2', Note: 'on top' }).set('If-Match', tag).expect(200);
  });

  /** The tasks `p` and `2` as a dump would have them. */
  async function dumpTasks(): Promise<readonly object[]> {
    return service.dataSource.query<object[]>(`
      SELECT workspace_id, id, field_values, version, updated_at FROM tasks WHERE unique_value IN ('p', '2') ORDER BY id`);
  }

  async function restoreTasks(rows: readonly object[]): Promise<void> {
    await service.dataSource.query(
      `UPDATE tasks t SET field_values = r.field_values, version = r.version, updated_at = r.updated_at
       FROM json_populate_recordset(NULL::tasks, $1) r WHERE t.workspace_id = r.workspace_id AND t.id = r.id`,
      [JSON.stringify(rows)],
    );
  }

  it('a tag never comes again: a task that was deleted and made anew does not repeat a version', async () => {
    const tags: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      await api.post(tasks, { ID: 'again' }).expect(201);
      const tag = await tagOf('again');
      for (const old of tags) await api.get(`${tasks}/again`).set('If-None-Match', old).expect(200);
      for (const old of tags) await api.delete(`${tasks}/again`).set('If-Match', old).expect(412);
      tags.push(tag);
      await api.delete(`${tasks}/again`).expect(204);
    }
    expect(new Set(tags.map((tag) => tag.split('-')[0])).size).toBe(tags.length);
  });

  it('of writers who have read the same version one wins, and of those who would create one creates', async () => {
    const each = [1, 2, 3, 4];
    await api.post(tasks, { ID: 'race' }).expect(201);
    const tag = await tagOf('race');
    const statuses = async (ask: (n: number) => Test): Promise<number[]> =>
      (await Promise.all(each.map(ask))).map(({ status }) => status).sort();
    const write = (n: number): Test => api.put(tasks, { ID: 'race', Text: `w${n}` });
    expect(await statuses((n) => write(n).set('If-Match', tag))).toEqual([200, 412, 412, 412]);
    // What none of them has seen all may change, one after the other.
    expect(await statuses((n) => write(n).set('If-None-Match', tag))).toEqual([200, 200, 200, 200]);
    const create = (n: number): Test => api.post(tasks, { ID: 'made once', Text: `w${n}` });
    expect(await statuses((n) => create(n).set('If-None-Match', '*'))).toEqual([201, 412, 412, 412]);
  });
});
