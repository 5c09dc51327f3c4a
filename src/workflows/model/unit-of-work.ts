import { type DataSource, type EntityManager } from 'typeorm';
import { boundTo } from '../../common/database/sql.js';
import { databaseErrorCode, isTaskTooLarge, isTransactionConflict } from '../../common/database-error.js';
import { Refusal, RefusedExecution, TryAgain, unavailable } from '../../common/errors.js';
import { InvalidFields, invalidField } from '../../common/field-errors.js';
import { type FairSemaphore } from '../../../packages/fair/semaphore.js';
import { type Scope } from './scope.js';
import { StaleDefinition, type Workspaces } from './workspaces.js';

/** What one attempt at work uses: its scope, and a database that keeps to the request's deadline. */
export interface Unit {
  readonly scope: Scope;
  readonly db: EntityManager;
  /**
   * Runs work within the limit on simultaneous writes. The limit keeps connections free for reads while
   * writes wait.
   */
  write<T>(work: (db: EntityManager) => Promise<T>): Promise<T>;
  /** Runs work in one transaction, within the limit on simultaneous writes. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  /** Runs work in one transaction, rolls it back, and returns the result of the work. */
  rehearse<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
}

type Work<T> = (db: EntityManager, scope: Scope) => Promise<T>;

/**
 * Runs work on the tasks of a workflow under the definition in force, within the request's deadline and the
 * request's share of connections. If the definition or the task changes meanwhile, the work runs again, but
 * at most five times in all. Work that sets outer variables must therefore reset them first.
 */
export class UnitOfWork {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly writers: FairSemaphore,
  ) {}

  /** Runs work that only reads, without a transaction. */
  read<T>(scope: Scope, work: Work<T>): Promise<T> {
    return this.begin(scope, (unit) => work(unit.db, unit.scope));
  }

  /** Runs work that writes in single statements or begins its own transactions. */
  write<T>(scope: Scope, work: Work<T>): Promise<T> {
    return this.begin(scope, (unit) => unit.write((db) => work(db, unit.scope)));
  }

  transaction<T>(scope: Scope, work: Work<T>): Promise<T> {
    return this.begin(scope, (unit) => unit.transaction((tx) => work(tx, unit.scope)));
  }

  /** Runs work that writes only through the methods of `Unit`. */
  async begin<T>(scope: Scope, work: (unit: Unit) => Promise<T>): Promise<T> {
    for (let attempt = 1, current = scope; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        return await work(this.unitOf(current));
      } catch (error) {
        if (isTaskTooLarge(error))
          throw invalidField('base', 'A task can have at most 1 MB: upload long content as a file');
        if (!(await this.mayRepeat(error, current))) throw error;
        const { workspaceId, slug } = scope.workflow;
        current = scope.in(await this.workspaces.workflow(workspaceId, slug, scope.viewer));
      }
    }
    throw unavailable('The task or its workflow is being changed by too many requests at once.');
  }

  /** The database, for data that does not depend on the definition. */
  db(scope: Scope): EntityManager {
    return boundTo(this.dataSource.manager, scope);
  }

  unitOf(scope: Scope): Unit {
    const db = this.db(scope);
    const write: Unit['write'] = (work) => this.writers.use(scope, () => work(db));
    const transaction: Unit['transaction'] = (work) => write(() => db.transaction(work));
    return { scope, db, write, transaction, rehearse: (work) => rehearse(transaction, work) };
  }

  private async mayRepeat(error: unknown, { workflow: { workspaceId, version } }: Scope): Promise<boolean> {
    const isOutdated = isStale(error);
    if (isOutdated) this.workspaces.forgetVersion(workspaceId, version);
    if (isOutdated || error instanceof TryAgain || isTransactionConflict(error)) return true;
    // A statement for an outdated definition may read a text as a number.
    const isMisread = databaseErrorCode(error)?.startsWith('22') === true;
    // The foreign key fails if the workspace has just been deleted.
    const isOrphan = databaseErrorCode(error) === '23503';
    const isRefused = [InvalidFields, Refusal, RefusedExecution].some((kind) => error instanceof kind);
    return (isRefused || isMisread || isOrphan) && (await this.workspaces.forgetUnless(workspaceId, version));
  }
}

const MAX_ATTEMPTS = 5;

/** Whether the work failed because a newer definition is in force. `assert_definition` raises WTS01. */
function isStale(error: unknown): boolean {
  return error instanceof StaleDefinition || databaseErrorCode(error) === 'WTS01';
}

/** Runs work in a transaction, returns its result, and rolls back. */
async function rehearse<T>(
  transaction: (work: (tx: EntityManager) => Promise<T>) => Promise<T>,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  try {
    return await transaction(async (tx) => {
      outcome = { value: await work(tx) };
      throw new Rehearsed('nothing is to be kept');
    });
  } catch (error) {
    if (error instanceof Rehearsed && outcome) return outcome.value;
    throw error;
  }
}

/** Thrown to roll back a transaction that succeeded. */
class Rehearsed extends Error {}
