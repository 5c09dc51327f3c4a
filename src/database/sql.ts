import { type DataSource, type EntityManager } from 'typeorm';
import { type Deadline } from '../deadline.js';
import { Refusal } from '../errors/errors.js';
import { deadlineOf } from './bounded.js';
import { Canceller } from './cancel-statements.js';
import { databaseUrl, type PgClient, poolOf } from './pool.js';

/** A statement that PostgreSQL parses once per connection, under its name. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/**
 * A statement whose text was put together for one request. The first hundred texts get names; what comes later would
 * fill the connections' memory for ever.
 */
export function statementOf(text: string): Statement {
  const name = names.get(text) ?? (names.size < 100 ? `list-${names.size}` : undefined);
  if (name === undefined) return { text };
  names.set(text, name);
  return { name, text };
}

const names = new Map<string, string>();

/**
 * Runs one statement by `pg` itself, on the pool or on the transaction that `db` stands for; where `db` has a deadline
 * PostgreSQL gives the statement up with it.
 */
export async function sql<Row>(
  db: EntityManager,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = { ...statement, values };
  const deadline = deadlineOf(db);
  if (db.queryRunner) {
    const client = (await db.queryRunner.connect()) as PgClient<Row>;
    return (await run(db, client, query, deadline)).rows;
  }
  const pool = poolOf<Row>(db.dataSource);
  return deadline ? runApart(db, query, deadline) : (await pool.query(query)).rows;
}

type Query = Statement & { values: readonly unknown[] };

/** On a connection that is known, so that it can be told to stop. */
async function runApart<Row>(db: EntityManager, query: Query, deadline: Deadline): Promise<Row[]> {
  deadline.check();
  const client = await poolOf<Row>(db.dataSource).connect();
  // A connection that breaks says so twice: by its statement, too.
  client.on('error', ignore);
  let isBroken = false;
  try {
    return (await run(db, client, query, deadline)).rows;
  } catch (error) {
    isBroken = !isStatementError(error);
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(isBroken);
  }
}

const ignore = (): void => undefined;

/** It was not begun, or PostgreSQL refused it; the connection is as good as before. */
function isStatementError(error: unknown): boolean {
  return error instanceof Refusal || (error instanceof Error && Reflect.get(error, 'severity') === 'ERROR');
}

function run<Row>(
  db: EntityManager,
  client: PgClient<Row>,
  query: Query,
  deadline: Deadline | undefined,
): Promise<{ rows: Row[] }> {
  if (!deadline) return client.query(query);
  return deadline.bound(
    () => client.query(query),
    () => cancellerOf(db.dataSource).cancel(client),
  );
}

function cancellerOf(dataSource: DataSource): Canceller {
  const canceller = cancellers.get(dataSource) ?? new Canceller(databaseUrl(dataSource));
  cancellers.set(dataSource, canceller);
  return canceller;
}

const cancellers = new WeakMap<DataSource, Canceller>();
