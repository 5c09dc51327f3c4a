import { type EntityManager, type QueryRunner } from 'typeorm';
import { numberEvents } from '../../src/events/events.repository.js';
import { countVersionsFromOne, startServiceWith } from '../support/service.js';
import { blocked } from '../support/blocked.js';
import { nextOf } from '../support/pages.js';
import { type Event, eventsOf } from './following.js';

const tasks = '/api/v1/workflows/things/tasks';
const feed = '/api/v1/events';

const definition = `
workspace: { id: acme, name: Acme Inc }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: A, type: text }]
`;

const { service, api } = await startServiceWith(definition);
await countVersionsFromOne(service);
const [row] = await service.dataSource.query<[{ id: number }]>('SELECT id FROM workspaces');
const workspaceId = row.id;
for (const id of ['open', 'killed', 'x', 'y']) await api.post(tasks, { ID: id }).expect(201);

describe('the promises of the feed', () => {
  const transactions: QueryRunner[] = [];

  afterAll(async () => {
    for (const transaction of transactions) await transaction.release();
  });

  async function begin(): Promise<QueryRunner> {
    const transaction = service.dataSource.createQueryRunner();
    transactions.push(transaction);
    await transaction.startTransaction();
    // It waits for a lock for as long as a slow machine needs.
    await transaction.query('SET LOCAL lock_timeout = 0');
    return transaction;
  }

  /** Changes a task. */
  async function touch(by: EntityManager, id: string): Promise<void> {
    const text = 'UPDATE tasks SET version = version + 1 WHERE workspace_id = $1 AND unique_value = $2';
    await by.query(text, [workspaceId, id]);
  }

  /** A transaction that has changed a task and stays open. */
  async function touching(id: string): Promise<QueryRunner> {
    const transaction = await begin();
    await touch(transaction.manager, id);
    return transaction;
  }

  /** Everything that one follower is told, page by page, until it is told of this task. */
  async function follow(limit: number, until: string): Promise<Event[]> {
    const told: Event[] = [];
    for (let next = `${feed}?_limit=${limit}`; !told.some(({ data }) => data.task?.unique_id === until);) {
      const answer = await api.get(next).set('Prefer', 'wait=5').expect(200);
      told.push(...(answer.body as Event[]));
      next = nextOf(answer);
    }
    return told;
  }

  const idsOf = (events: readonly Event[]): string[] => events.map(({ id }) => id);

  it('1–3: beside open and killed transactions, all followers get the same events, once and in order', async () => {
    const [open, killed] = [await touching('open'), await touching('killed')];
    const followers = [follow(1, 'end'), follow(7, 'end'), follow(1000, 'end')];
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 10; n += 1)
          await api.post(tasks, { ID: `t-${(writer + n) % 5}`, A: `${writer}/${n}` });
      }),
    );
    // "A transaction held open … delays only its own events."
    await api.post(tasks, { ID: 'end' }).expect(201);
    const told = await Promise.all(followers);
    const [{ pid }] = await killed.manager.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
    await service.dataSource.query('SELECT pg_terminate_backend($1::integer)', [pid]);
    await open.commitTransaction();

    const all = (await eventsOf(api, feed)).events;
    // "No event … is ever missing from the feed, none stands in it twice, and its order never changes."
    expect(new Set(idsOf(all)).size).toBe(all.length);
    for (const one of told) expect(idsOf(one)).toEqual(idsOf(all).slice(0, one.length));
    expect(all.at(-1)?.data.task).toMatchObject({ unique_id: 'open', version: 2 });
    // "Events of one task stand in the order of its versions."
    const rows = await service.dataSource.query<{ id: string; version: number }[]>('SELECT unique_value AS id, version FROM tasks'); // prettier-ignore
    for (const { id, version } of rows) {
      const versions = all
        .filter(({ data }) => data.task?.unique_id === id)
        .map(({ data }) => data.task?.version);
      expect([id, versions]).toEqual([id, Array.from({ length: version }, (_, at) => at + 1)]);
    }
  });

  it('numbers remain correct in the worst cases', async () => {
    // A transaction that began earlier writes the same task later.
    const early = await touching('y');
    await touch(service.dataSource.manager, 'x');
    await touch(early.manager, 'x');
    await early.commitTransaction();
    const versions = (await eventsOf(api, `${feed}?type=task.updated`)).events
      .filter(({ data }) => data.task?.unique_id === 'x')
      .map(({ data }) => data.task?.version ?? 0);
    for (const [at, version] of versions.entries()) expect(version).toBe((versions[0] ?? 0) + at);
    // Two number at the same time.
    await touch(service.dataSource.manager, 'x');
    const [one, other] = [await begin(), await begin()];
    await numberEvents(one.manager, workspaceId);
    const waiting = numberEvents(other.manager, workspaceId);
    // With the lock it waits at once, and without at the index that keeps positions unique.
    await blocked(service.dataSource);
    await one.commitTransaction();
    await waiting;
    await other.commitTransaction();
  });
});
