import { EntityManager } from 'typeorm';
import type pg from 'pg';
import { type ScopedStatement, type StatementScope } from '../../../packages/citus/statement.js';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { type Holder } from '../../../packages/fair/semaphore.js';
import { type Origin } from '../origin.js';
import { isOfStatement, poolOf } from './data-source.js';
import { sharedBy } from './shared-data-source.js';
import { ask } from '../../../packages/citus/delegation.js';

/** A statement. If it has a name, PostgreSQL parses it once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** Absent if the statement touches one workspace, whose id is then the first parameter. */
  readonly scope?: StatementScope;
}

/** Only the first hundred texts get a name, because a connection keeps named statements in memory forever. */
export function statementOf(text: string): Statement {
  const name = names.get(text) ?? (names.size < 100 ? `list-${names.size}` : undefined);
  if (name === undefined) return { text };
  names.set(text, name);
  return { name, text };
}

const names = new Map<string, string>();

/** Runs one statement in the transaction of `db`, or otherwise on a connection of the pool. */
export async function sql<Row>(
  db: EntityManager,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { name, text, scope } = statement;
  if (scope === undefined && typeof values[0] !== 'number')
    throw new Error(`a statement names neither its workspace nor a scope: ${name ?? text}`);
  const query = { name, text, values, scope };
  if (db.queryRunner) return ask((await db.queryRunner.connect()) as pg.ClientBase, query);
  const run = (): Promise<Row[]> => runOnPool(poolOf(db.dataSource), query);
  return db instanceof RequestManager ? db.inTurn(run) : run();
}

async function runOnPool<Row>(pool: pg.Pool, query: ScopedStatement): Promise<Row[]> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await ask<Row>(client, query);
  } catch (error) {
    isBroken = !isOfStatement(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** A client, the deadline of the client's work, and the origin to store in the events of that work. */
export interface Requester extends Holder {
  readonly deadline?: Deadline | undefined;
  readonly origin?: Origin | undefined;
}

/**
 * The database for one requester. If the requester has a deadline, transactions and `sql` take connections
 * from the requester's share. After the deadline, no transaction begins or commits, and no statement outside
 * a transaction begins. Transactions record the requester's origin with their events.
 */
export function boundTo(db: EntityManager, requester: Requester): EntityManager {
  return new RequestManager(db, requester);
}

type Work<T> = (tx: EntityManager) => Promise<T>;
type IsolationLevel = 'READ UNCOMMITTED' | 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | 'SNAPSHOT';

class RequestManager extends EntityManager {
  constructor(
    db: EntityManager,
    private readonly requester: Requester,
  ) {
    super(db.dataSource);
  }

  /**
   * Waits for a free connection in the requester's share, then runs the work. Work without a deadline does
   * not wait. `checkAhead` refuses work that begins so late that a statement's wait for locks could outlast
   * the deadline.
   */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { requester } = this;
    const { deadline } = requester;
    if (!deadline) return work();
    return sharedBy(this).connections.use(requester, () => {
      deadline.checkAhead();
      return work();
    });
  }

  override async transaction<T>(...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 1 ? [undefined, given[0]] : given;
    const recorded: Work<T> = (tx) => this.record(tx, work);
    return this.inTurn(() =>
      isolation === undefined ? super.transaction(recorded) : super.transaction(isolation, recorded),
    );
  }

  private async record<T>(tx: EntityManager, work: Work<T>): Promise<T> {
    const { workspaceId, origin, deadline } = this.requester;
    if (origin) await setOrigin(tx, workspaceId, origin.text);
    const result = await work(tx);
    // Rolls back if the request has already been answered with a timeout.
    deadline?.check();
    return result;
  }
}

/** Sets the origin for the later events of this transaction. */
export async function setOrigin(
  tx: EntityManager,
  workspaceId: number,
  origin: string | undefined,
): Promise<void> {
  await sql(tx, originSetting, [workspaceId, origin]);
}

const originSetting = {
  name: 'set-origin',
  text: `SELECT set_config('wts.origin', $2, true) WHERE $1::integer > 0`,
};
