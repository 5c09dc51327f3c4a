import pg from 'pg';
import { Deadline } from '../../packages/fair/deadline.js';
import { entities } from '../../src/features.js';
import { readConfig } from '../../src/config.js';
import { createLogger } from '../../src/common/logger.js';
import { openDatabase } from '../../src/common/database/open-database.js';
import { poolOf } from '../../src/common/database/data-source.js';
import { boundTo, sql } from '../../src/common/database/sql.js';
import { busy } from '../../src/common/errors.js';
import { blocked } from '../support/blocked.js';
import { createTestDatabase } from '../support/database.js';

const divide = {
  name: 'divide',
  text: 'SELECT $1::integer / $2::integer AS n',
  scope: 'no workspace',
} as const;
/** Goes on when nobody holds lock 2. */
const wait = { name: 'wait', text: 'SELECT pg_advisory_xact_lock_shared(2), $1::integer AS n', scope: 'no workspace' } as const; // prettier-ignore

const database = await createTestDatabase();
const db = database.dataSource.manager;
const other = new pg.Client({ connectionString: database.url });
await other.connect();

describe('statements', () => {
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

  it('each get their own answer, or their own error', async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => answer(db, divide, [n, n % 5 === 0 ? 0 : 1])));
    expect(answers).toEqual(numbers.map((n) => (n % 5 === 0 ? 'division by zero' : n)));
  });

  it('fail with a connection that breaks, and later statements do not', async () => {
    await other.query('SELECT pg_advisory_lock(2)');
    const waits = Array.from({ length: 12 }, (_, n) => answer(db, wait, [n]));
    await blocked(database.dataSource, 12, '%lock_shared(2)%');
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '%lock_shared(2)%' AND pid <> pg_backend_pid()`,
    );
    expect((await Promise.all(waits)).filter((n) => typeof n === 'number')).toEqual([]);
    await other.query('SELECT pg_advisory_unlock(2)');
    expect(await answer(db, divide, [6, 2])).toBe(3);
  });

  it.each([
    ['a server', true, '30s'],
    ['a command', false, '0'],
  ])('of %s have their time limit', async (_, isServer, limit) => {
    const config = readConfig({ DATABASE_URL: database.url });
    const opened = await openDatabase(config, createLogger('silent'), { isServer, entities });
    const shown = await opened.dataSource.query(`SELECT current_setting('statement_timeout') AS limit`);
    await opened.close();
    expect(shown).toEqual([{ limit }]);
  });

  it('neither begin nor commit after the deadline of their request', async () => {
    let expire = (): void => undefined;
    const over = new Promise<void>((resolve) => (expire = resolve));
    const tell = (): void => {
      expire();
    };
    const deadline = new Deadline(1, () => false, tell, busy('The request took too long.'));
    const bound = boundTo(db, { workspaceId: 1, deadline });
    await db.query('CREATE TABLE kept (n integer)');
    const writing = bound.transaction(async (tx) => {
      await tx.query('INSERT INTO kept VALUES (1)');
      deadline.start();
      await over;
    });
    await expect(writing).rejects.toThrow('The request took too long.');
    expect(await answer(bound, divide, [6, 2])).toBe('The request took too long.');
    expect(await db.query('SELECT * FROM kept')).toEqual([]);
  });
});
