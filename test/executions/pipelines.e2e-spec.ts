import { EventEmitter } from 'node:events';
import pg from 'pg';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { boundTo, sql } from '../../src/database/sql.js';
import { poolOf } from '../../src/database/pool.js';
import { Deadline } from '../../packages/fair/deadline.js';
import { busy } from '../../src/lib/errors.js';
import { blocked } from '../support/blocked.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Client, startService, type TestService } from '../support/service.js';

// They are about no rows.
const ofNone = { scope: 'no workspace' } as const;
const divide = { name: 'divide', text: 'SELECT $1::integer / $2::integer AS n', isPrompt: true, ...ofNone };
/** Goes on when nothing is held any more. */
const wait = {
  name: 'wait',
  text: 'SELECT pg_advisory_xact_lock_shared(2), $1::integer AS n',
  isPrompt: true,
  ...ofNone,
};
const queue = {
  name: 'queue',
  text: 'SELECT pg_advisory_lock(1), $1::integer AS n',
  isPrompt: true,
  ...ofNone,
};

describe('statements that share connections', () => {
  let database: TestDatabase;
  let db: EntityManager;
  let other: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.dataSource.manager;
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
  });
  afterEach(() => {
    const { totalCount, idleCount } = poolOf(database.dataSource);
    expect(totalCount - idleCount).toBe(0);
  });
  afterAll(async () => {
    await other.end();
    await database.drop();
  });

  const answer = async (...values: Parameters<typeof sql>): Promise<unknown> =>
    sql<{ n: number }>(...values).then(
      (rows) => rows[0]?.n,
      (error: unknown) => (error as Error).message,
    );

  const hold = (): Promise<unknown> => other.query('SELECT pg_advisory_lock(2)');
  const letGo = (): Promise<unknown> => other.query('SELECT pg_advisory_unlock(2)');
  /** Resolves when so many connections are held. */
  const held = (count: number): Promise<void> => blocked(database.dataSource, count, '%lock_shared(2)%');

  it('each gets its own answer, or its own error', async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => answer(db, divide, [n, n % 5 === 0 ? 0 : 1])));
    expect(answers).toEqual(numbers.map((n) => (n % 5 === 0 ? 'division by zero' : n)));
  });

  it('all fail with a connection that breaks, and the next ones do not', async () => {
    await hold();
    const waits = Array.from({ length: 12 }, (_, n) => answer(db, wait, [n]));
    await held(2);
    await other.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    const answers = await Promise.all(waits);
    expect(answers.filter((n) => typeof n === 'number')).toEqual([]);
    // Those that lay idle have ended as well; the pool hears of each a little later.
    const pool = poolOf(database.dataSource);
    if (!(pool instanceof EventEmitter)) throw new Error('the pool tells nothing');
    // `once` of node:events would reject: the pool reports their errors, too.
    while (pool.totalCount > 0) await new Promise((removed) => pool.once('remove', removed));
    await letGo();
    expect(await answer(db, divide, [6, 2])).toBe(3);
  });

  it('one whose time is up is cancelled, and those around it are answered', async () => {
    await hold();
    await other.query('SELECT pg_advisory_lock(1)');
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => (tell = resolve));
    const deadline = new Deadline(0, () => false, tell, busy('The request took too long.'));
    const before = answer(db, wait, [1]);
    const late = answer(boundTo(db, { workspaceId: 1, deadline }), queue, [2]);
    const behind = [3, 4, 5].map((n) => answer(db, divide, [n, 1]));
    await held(1);
    deadline.start();
    await told;
    await letGo();
    expect(await before).toBe(1);
    expect(await late).toBe('The request took too long.');
    expect(await Promise.all(behind)).toEqual([3, 4, 5]);
    await other.query('SELECT pg_advisory_unlock(1)');
  });
});

describe('executions of what somebody holds', () => {
  const workflow = (id: string): string => `
  - id: ${id}
    name: ${id}
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions:
      - { id: finish, name: Finish, stages: [New], steps: [{ name: Close, type: move_to_stage, stage: Done }] }`;
  const yaml = `workspace: { id: acme, name: Acme }\nworkflows:${workflow('held')}${workflow('free')}`;
  let service: TestService;
  let api: Client;
  let holder: QueryRunner;

  beforeAll(async () => {
    service = await startService();
    await service.apply(yaml);
    api = service.client(await service.key('acme'));
    holder = service.dataSource.createQueryRunner();
  });
  afterAll(async () => {
    await holder.release();
    await service.stop();
  });

  const ids = ['1', '2', '3'];
  const finish = (workflow: string): Promise<unknown[]> =>
    Promise.all(
      ids.map(async (task_id) => {
        const path = `/api/v1/workflows/${workflow}/executions`;
        const { body } = await api.post(path, { task_id, action_id: 'finish' }).set('Prefer', 'wait=25');
        return (body as { readonly status?: unknown }).status;
      }),
    );
  const ofHeld = `SELECT * FROM tasks t JOIN workflows w ON w.id = t.workflow_id WHERE w.slug = 'held'`;

  it.each([
    ['tasks that are being changed', `${ofHeld} FOR NO KEY UPDATE OF t`],
    ['tasks that are being deleted', `${ofHeld} FOR UPDATE OF t`],
    [
      'a definition that is being changed',
      `SELECT pg_advisory_xact_lock(workspace_id, id) FROM workflows WHERE slug = 'held'`,
    ],
  ])('wait for %s, and no others with them', async (_, hold) => {
    for (const workflow of ['held', 'free'])
      for (const ID of ids)
        await api.post(`/api/v1/workflows/${workflow}/tasks`, { ID, Stage: 'New' }).expect(/"New"/);
    await holder.startTransaction();
    await holder.query(hold);
    const held = finish('held');
    await blocked(service.dataSource);
    expect(await finish('free')).toEqual(ids.map(() => 'Success'));
    await holder.commitTransaction();
    expect(await held).toEqual(ids.map(() => 'Success'));
  });
});
