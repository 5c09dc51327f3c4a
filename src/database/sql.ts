import { EntityManager, type QueryRunner } from 'typeorm';
import { type Deadline } from '../../packages/fair/deadline.js';
import {
  giveBack,
  isOfStatement,
  type PgClient,
  type PgQuery,
  poolOf,
  type StatementScope,
  take,
} from './pool.js';
import { ask, isSpread } from './spread.js';
import { type SentStatement } from './pipelines.js';
import { type Holder } from '../../packages/fair/semaphore.js';
import { type Origin } from './origin.js';
import { sharedBy } from './shared-data-source.js';

/** A statement with a name, which PostgreSQL parses once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** The statement never waits for a lock and reads few rows, so that others may be sent behind it. */
  readonly isPrompt?: boolean;
  /** The scope of the statement; without it, the statement is about the workspace in its first parameter. */
  readonly scope?: StatementScope;
}

/**
 * A statement whose text was composed for one request. Only the first hundred texts get a name, because a connection
 * keeps named statements in memory for ever.
 */
export function statementOf(text: string): Statement {
  const name = names.get(text) ?? (names.size < 100 ? `list-${names.size}` : undefined);
  if (name === undefined) return { text };
  names.set(text, name);
  return { name, text };
}

const names = new Map<string, string>();

/**
 * Runs one statement by `pg` itself, on the pool or in the transaction of `db`. If `db` has a deadline, PostgreSQL
 * cancels the statement when it ends.
 */
export function sql<Row>(
  db: EntityManager,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { name, text, scope } = statement;
  if (scope === undefined && typeof values[0] !== 'number')
    return Promise.reject(new Error(`a statement names neither its workspace nor a scope: ${name ?? text}`));
  // Written out field by field: in Node.js 20 a spread would take 0.2 µs.
  const query: PgQuery = { name, text, scope, values };
  return send<Row>(db, query, statement.isPrompt, boundsOf(db));
}

function send<Row>(
  db: EntityManager,
  query: PgQuery,
  isPrompt: boolean | undefined,
  bounds: Bounds | undefined,
): Promise<Row[]> {
  if (db.queryRunner) return runInTransaction(db, db.queryRunner, query, bounds);
  return isPrompt ? runPromptly(db, query, bounds) : runOnOne(db, query, bounds);
}

async function runInTransaction<Row>(
  db: EntityManager,
  runner: QueryRunner,
  query: PgQuery,
  bounds: Bounds | undefined,
): Promise<Row[]> {
  const client = (await runner.connect()) as PgClient<Row>;
  return run(db, client, query, bounds);
}

async function runPromptly<Row>(
  db: EntityManager,
  query: PgQuery,
  bounds: Bounds | undefined,
): Promise<Row[]> {
  const answer = await runAmongOthers<Row>(db, query, bounds?.deadline);
  return answer ?? runOnOne(db, query, bounds);
}

function runOnOne<Row>(db: EntityManager, query: PgQuery, bounds: Bounds | undefined): Promise<Row[]> {
  const run = (): Promise<Row[]> => runApart(db, query, bounds);
  return bounds ? sharedBy(db).connections.use(bounds, run) : run();
}

/** Runs a statement on a shared connection; undefined if it was cancelled in place of another statement. */
async function runAmongOthers<Row>(
  db: EntityManager,
  query: PgQuery,
  deadline: Deadline | undefined,
): Promise<Row[] | undefined> {
  const { pipelines, canceller } = sharedBy(db);
  let sent: SentStatement | undefined;
  const send = (): Promise<unknown[]> => (sent = pipelines.send(query)).answer;
  const giveUp = async (): Promise<void> => sent?.giveUp((client) => canceller.cancel(client));
  try {
    return (await within(deadline, send, giveUp)) as Row[];
  } catch (error) {
    if (isCancelled(error)) return undefined;
    throw error;
  }
}

const isCancelled = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === queryCanceled;
const queryCanceled = '57014';

/** Runs a statement on a connection of its own, so that it can be cancelled. */
async function runApart<Row>(db: EntityManager, query: PgQuery, bounds: Bounds | undefined): Promise<Row[]> {
  bounds?.deadline.check();
  const client = await take(poolOf<Row>(db.dataSource));
  let isBroken = false;
  try {
    return await run(db, client, query, bounds);
  } catch (error) {
    isBroken = !isOfStatement(error);
    throw error;
  } finally {
    giveBack(client, isBroken);
  }
}

function run<Row>(
  db: EntityManager,
  client: PgClient<Row>,
  query: PgQuery,
  bounds: Bounds | undefined,
): Promise<Row[]> {
  return within(
    bounds?.deadline,
    () => ask(client, query),
    () => sharedBy(db).canceller.cancel(client),
  );
}

function within<T>(
  deadline: Deadline | undefined,
  work: () => Promise<T>,
  giveUp: () => Promise<void>,
): Promise<T> {
  return deadline ? deadline.bound(work, giveUp) : work();
}

/** The owner of a piece of work, its deadline, and the origin that its events record. */
export interface Requester extends Holder {
  readonly deadline?: Deadline | undefined;
  readonly origin?: Origin | undefined;
}

/**
 * The database as one request may use it: statements and transactions end at the request's deadline, and connections
 * come from the requester's share.
 */
export function boundTo(db: EntityManager, requester: Requester): EntityManager {
  const { workspaceId, keyId, deadline, origin } = requester;
  if (deadline) return new BoundManager(db, { workspaceId, keyId, deadline }, origin);
  return origin ? new RecordedManager(db, requester, origin) : db;
}

interface Bounds extends Holder {
  readonly deadline: Deadline;
}

/** The limits of the work that this manager does. */
function boundsOf(db: EntityManager): Bounds | undefined {
  return db instanceof BoundManager ? db.bounds : boundsOfTransactions.get(db);
}

// By transaction, not by request: an entry per request would cost a tenth of a read's time in garbage collection.
const boundsOfTransactions = new WeakMap<EntityManager, Bounds>();

type Work<T> = (tx: EntityManager) => Promise<T>;

/** A manager whose transactions record their origin with their events. */
class RecordedManager extends EntityManager {
  constructor(
    db: EntityManager,
    private readonly holder: Holder,
    private readonly origin: Origin | undefined,
  ) {
    super(db.dataSource);
  }

  override async transaction<T>(...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 1 ? [undefined, given[0]] : given;
    const { origin } = this;
    const recorded: Work<T> = origin ? (tx) => this.record(tx, origin, work) : work;
    return isolation === undefined ? super.transaction(recorded) : super.transaction(isolation, recorded);
  }

  private async record<T>(tx: EntityManager, origin: Origin, work: Work<T>): Promise<T> {
    const client = (await tx.queryRunner?.connect()) as PgClient<unknown>;
    // The first statement on the connection: nothing has to wait for it, and if it fails, so do the later ones.
    const told = ask(client, { ...setOrigin, values: [this.holder.workspaceId, origin.text] }).catch(
      () => undefined,
    );
    if (isSpread(client)) await told;
    const result = await work(tx);
    const [last] = await sql<{ id: string }>(tx, lastEvent, [this.holder.workspaceId]);
    // A repeated request makes no event; its origin keeps the id of the first request's event.
    if (last) origin.lastEvent = last.id;
    return result;
  }
}

const setOrigin = {
  name: 'tell-origin',
  text: `SELECT set_config('wts.origin', $2, true) WHERE $1::integer > 0`,
};

// `place + 0` makes PostgreSQL use the index of transactions: it might read the index of places from end to beginning.
/** The last event that this transaction has made in the workspace `$1`. */
export const readLastEvent = `
    SELECT id FROM events WHERE workspace_id = $1 AND tx = pg_current_xact_id_if_assigned()::text::bigint
    ORDER BY place + 0 DESC LIMIT 1`;

const lastEvent = { name: 'last-event', text: readLastEvent };

/** Sets the origin that the events of this transaction record from now on. */
export async function tellOrigin(
  tx: EntityManager,
  workspaceId: number,
  origin: string | undefined,
): Promise<void> {
  await sql(tx, setOrigin, [workspaceId, origin]);
}

class BoundManager extends RecordedManager {
  constructor(
    db: EntityManager,
    readonly bounds: Bounds,
    origin: Origin | undefined,
  ) {
    super(db, bounds, origin);
  }

  /** Refuses to commit after the request was answered with a timeout. */
  override async transaction<T>(...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 1 ? [undefined, given[0]] : given;
    const bound: Work<T> = async (tx) => {
      boundsOfTransactions.set(tx, this.bounds);
      const result = await work(tx);
      this.bounds.deadline.check();
      return result;
    };
    return sharedBy(this).connections.use(this.bounds, () =>
      isolation === undefined ? super.transaction(bound) : super.transaction(isolation, bound),
    );
  }
}

type IsolationLevel = 'READ UNCOMMITTED' | 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | 'SNAPSHOT';
