import { startServiceWith } from '../support/service.js';
import { cursorIn, nextOf } from '../support/pages.js';
import { type Event, eventsOf } from './following.js';

const tasks = '/api/v1/workflows/things/tasks';
const feed = '/api/v1/events';

const definition = (name: string): string => `
workspace: { id: ${name}, name: ${name} }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: A, type: text }, { name: B, type: text }]
  - { id: others, name: Others, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId, required: true }] }
`;

const { service, api, key } = await startServiceWith([definition('acme'), definition('other')], {
  WTS_EVENT_DAYS: '30',
});
for (const id of ['1', '2', '3']) await api.post(tasks, { ID: id }).expect(201);

describe('the feed', () => {
  const idsOf = (events: readonly Event[]): (string | null | undefined)[] =>
    events.map(({ data }) => data.task?.unique_id);

  it('"Without `_after` it begins at the oldest kept", "oldest first, a bare array"', async () => {
    expect((await api.read<Event[]>(feed)).map(({ type, data }) => [type, data.task?.unique_id])).toEqual([
      ['definition.applied', undefined],
      ['task.created', '1'],
      ['task.created', '2'],
      ['task.created', '3'],
    ]);
  });

  it('"`Link: rel="next"` stands on every answer, also on an empty one: follow it for ever"', async () => {
    const seen: Event[] = [];
    let next = `${feed}?_limit=2`;
    for (let page = 0; page < 4; page += 1) {
      const answer = await api.get(next).expect(200);
      expect((answer.body as Event[]).length).toBe([2, 2, 0, 0][page]);
      seen.push(...(answer.body as Event[]));
      next = nextOf(answer);
    }
    expect(seen).toEqual(await api.read(feed));
    await api.put(tasks, { ID: '1', A: 'x' }).expect(200);
    expect(idsOf((await eventsOf(api, next)).events)).toEqual(['1']);
  });

  it('"`_after=now` answers `[]`", whatever is written meanwhile, and its cursor misses nothing of it', async () => {
    const own = await service.clientOf(definition('now'));
    let isWriting = true;
    const written: string[] = [];
    const writers = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let at = 0; isWriting; at += 1) {
          const id = `now-${writer}-${at}`;
          await own.post(tasks, { ID: id }).expect(201);
          written.push(id);
        }
      }),
    );
    let from = '';
    let acknowledged = 0;
    for (let at = 0; at < 25; at += 1) {
      acknowledged = written.length;
      from = nextOf(await own.get(`${feed}?_after=now`).expect(200, []));
    }
    isWriting = false;
    await writers;
    const behind = idsOf((await eventsOf(own, from)).events);
    // All that was acknowledged before the question stands before the cursor, and nothing stands on both sides.
    expect(behind.filter((id) => written.slice(0, acknowledged).includes(id ?? ''))).toEqual([]);
    expect(new Set(behind).size).toBe(behind.length);
  });

  it('"a repeated parameter means any of", "an unknown workflow, task or field matches nothing"', async () => {
    await api.post('/api/v1/workflows/others/tasks', { ID: '1' }).expect(201);
    await api.put(tasks, { ID: '3', B: 'x' }).expect(200);
    const found = async (query: string): Promise<string[]> =>
      (await eventsOf(api, `${feed}?${query}`)).events.map(({ type, data }) => `${type} ${data.workflow}/${data.task?.unique_id}`); // prettier-ignore
    expect(await found('type=task.updated&field=B')).toEqual(['task.updated things/3']);
    const updated = ['1', '3'].map((id) => `task.updated things/${id}`);
    expect(await found('field=A&field=B')).toEqual(updated);
    const written = await found('workflow=others&type=task.created&type=task.updated');
    expect(written).toEqual(['task.created others/1']);
    const id = (await api.read<Record<string, string>>(`${tasks}/3`))['Task URL']?.split('/').at(-1) ?? '';
    expect(await found(`task=${id}&task=none`)).toEqual(['task.created things/3', 'task.updated things/3']);
    for (const nothing of ['workflow=nothing', 'task=nothing', 'field=nothing', 'unique_id=nothing'])
      expect(await found(nothing)).toEqual([]);
    // "Who deleted this?"
    await api.delete(`/api/v1/workflows/others/tasks/1`).expect(204);
    const deleted = await found('unique_id=1&unique_id=other&workflow=others&type=task.deleted');
    expect(deleted).toEqual(['task.deleted others/1']);
  });

  it('"An unknown `type` is 422", and so are unknown parameters and "a forged or foreign cursor"', async () => {
    const other = service.client(await service.key('other'));
    const foreign = cursorIn(nextOf(await other.get(feed)));
    const faults = ['type=task.moved', '_limit=1001', '_limit=1&_limit=2', 'stage=New', '_after=x'];
    for (const query of [...faults, `_after=${foreign}`]) {
      const { body } = await api.get(`${feed}?${query}`).expect(422);
      const [name] = query.split('=');
      expect([query, Object.keys((body as { errors: object }).errors)]).toEqual([query, [name]]);
    }
  });

  it('"a cursor … goes with any filter and limit"', async () => {
    const after = cursorIn(nextOf(await api.get(`${feed}?_limit=1&workflow=things`).expect(200)));
    const { events } = await eventsOf(api, `${feed}?_after=${after}&type=task.created&_limit=2`);
    expect(idsOf(events)).toEqual(['2', '3', '1']);
  });

  it('"`Prefer: wait=25` holds an empty answer until something comes"', async () => {
    const next = nextOf(await api.get(`${feed}?_after=now&field=B`));
    const held = api.get(next).set('Prefer', 'wait=20').then((answer) => answer); // prettier-ignore
    await api.put(tasks, { ID: '1', A: 'not this' }).expect(200);
    await api.put(tasks, { ID: '2', B: 'this' }).expect(200);
    const answer = await held;
    expect(idsOf(answer.body as Event[])).toEqual(['2']);
    expect((answer.headers as Record<string, string>)['preference-applied']).toBe('wait=20');
    const empty = await api.get(nextOf(answer)).set('Prefer', 'wait=1').expect(200);
    expect(empty.body).toEqual([]);
    expect(nextOf(empty)).toBeTruthy();
  });

  it('HEAD ends at once', async () => {
    const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=20' };
    const answer = await fetch(`${service.url}${feed}?_after=now`, { method: 'HEAD', headers });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('"A cursor older than what is kept: 410 `cursor-expired`"; `WTS_EVENT_DAYS` drops the oldest', async () => {
    const old = nextOf(await api.get(`${feed}?_limit=1`));
    const { events, next } = await eventsOf(api, feed);
    // What a follower has not passed is kept for longer.
    await service.settle();
    await service.settle({ after: 31 * 24 * 3_600_000 });
    const { body } = await api.get(old).expect(410);
    expect(body).toMatchObject({ type: 'cursor-expired', status: 410, title: 'Gone' });
    expect(events.length).toBeGreaterThan(5);
    // Who has read all that was dropped has missed nothing.
    expect(await api.read(next)).toEqual([]);
    await api.put(tasks, { ID: '1', A: 'new' }).expect(200);
    expect(idsOf((await eventsOf(api, next)).events)).toEqual(['1']);
    expect(idsOf((await eventsOf(api, feed)).events)).toEqual(['1']);
  });

  it('"No event of a committed change is ever missing": also those of a workflow that is gone are found by its id', async () => {
    const of = await service.clientOf(definition('gone'));
    await of.post('/api/v1/workflows/others/tasks', { ID: 'O-1' }).expect(201);
    const without = definition('gone').replace(/\n {2}- \{ id: others.*/, '');
    await service.apply(without, { isPruning: true, allowsDataLoss: true });
    await of.get('/api/v1/workflows/others/tasks').expect(404);
    const { events } = await eventsOf(of, `${feed}?workflow=others`);
    expect(events.map(({ type }) => type)).toEqual(['task.created', 'task.deleted']);
    expect((await eventsOf(of, `${feed}?workflow=never`)).events).toEqual([]);
  });

  it('"a restore from `pg_dump` into a new cluster …: a cursor from before works or is 410"', async () => {
    const { dataSource } = service;
    const restored = nextOf(await api.get(feed));
    await api.put(tasks, { ID: '2', A: 'lost' }).expect(200);
    const lost = nextOf(await api.get(restored));
    // What a restore of the dump that was made in between leaves: neither this event nor its position, and the
    // transaction ids of another cluster, here greater than all that are given.
    await dataSource.query(`
      DELETE FROM events WHERE place = (SELECT max(place) FROM events);
      DELETE FROM event_chunks c WHERE last_position = (
        SELECT max(last_position) FROM event_chunks WHERE workspace_id = c.workspace_id
      ) AND workspace_id = (SELECT id FROM workspaces WHERE slug = 'acme');
      UPDATE event_streams SET last_position = last_position - 1, seen = '4000000000:4000000000:', cluster = 'another'
      WHERE workspace_id = (SELECT id FROM workspaces WHERE slug = 'acme');
      UPDATE events SET tx = 3999999999 WHERE workspace_id = (SELECT id FROM workspaces WHERE slug = 'acme');`);
    await api.put(tasks, { ID: '3', A: 'after' }).expect(200);
    expect(idsOf((await eventsOf(api, restored)).events)).toEqual(['3']);
    await api.get(lost).expect(410);
    await api.put(tasks, { ID: '3', A: 'later' }).expect(200);
    expect(idsOf((await eventsOf(api, restored)).events)).toEqual(['3', '3']);
  });
});
