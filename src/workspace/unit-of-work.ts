import { type DataSource, type EntityManager } from 'typeorm';
import { boundTo } from '../database/sql.js';
import { databaseErrorCode, isTaskTooLarge, isTransactionConflict } from '../lib/database-error.js';
import { Refusal, RefusedExecution, TryAgain, unavailable } from '../lib/errors.js';
import { InvalidFields, invalidField } from '../lib/field-errors.js';
import { type FairSemaphore } from '../../packages/fair/semaphore.js';
import { requestedAgain, StaleDefinition, type Workspaces } from './workspaces.js';
import { type Workflow } from './workspace.js';

/** One attempt at a piece of work: the definition in force, and the database until the deadline of the request. */
export interface Unit {
  readonly workflow: Workflow;
  readonly db: EntityManager;
  /** Writes within the budget of writes, which leaves connections to reads while writes wait for an `apply`. */
  write<T>(work: (db: EntityManager) => Promise<T>): Promise<T>;
  /** Writes in one transaction, within the budget of writes. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
}

type Work<T> = (db: EntityManager, workflow: Workflow) => Promise<T>;

/**
 * How all work on the tasks of a workflow is done: by the definition in force, again from the start where that changed
 * or where others were at the same task (at most five times), within the request's deadline and its share of the
 * connections.
 */
export class UnitOfWork {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly writers: FairSemaphore,
  ) {}

  /** Reads, without a transaction. */
  read<T>(workflow: Workflow, work: Work<T>): Promise<T> {
    return this.begin(workflow, (unit) => work(unit.db, unit.workflow));
  }

  /** Writes by single statements, or by transactions of its own. */
  write<T>(workflow: Workflow, work: Work<T>): Promise<T> {
    return this.begin(workflow, (unit) => unit.write((db) => work(db, unit.workflow)));
  }

  /** Writes in one transaction. */
  transaction<T>(workflow: Workflow, work: Work<T>): Promise<T> {
    return this.begin(workflow, (unit) => unit.transaction((tx) => work(tx, unit.workflow)));
  }

  /** Work of which only a part writes: it says itself which. */
  async begin<T>(workflow: Workflow, work: (unit: Unit) => Promise<T>): Promise<T> {
    for (let attempt = 1, current = workflow; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (workflow.origin) workflow.origin.lastEvent = undefined;
      try {
        return await work(this.unitOf(current));
      } catch (error) {
        if (isTaskTooLarge(error))
          throw invalidField('base', 'A task takes 1 MB at most: upload what is long as a file');
        if (!(await this.mayRepeat(error, current))) throw error;
        const { workspaceId, slug, viewer } = workflow;
        current = requestedAgain(await this.workspaces.workflow(workspaceId, slug, viewer), workflow);
      }
    }
    throw unavailable('The task or its workflow is being changed by too many at once.');
  }

  /** The database for what is the same under any definition. */
  db(workflow: Workflow): EntityManager {
    return boundTo(this.dataSource.manager, workflow);
  }

  private unitOf(workflow: Workflow): Unit {
    const db = this.db(workflow);
    const write: Unit['write'] = (work) => this.writers.use(workflow, () => work(db));
    return { workflow, db, write, transaction: (work) => write(() => db.transaction(work)) };
  }

  /** Whether the same work may succeed when it is done again. */
  private async mayRepeat(error: unknown, { workspaceId, version }: Workflow): Promise<boolean> {
    const isOutdated = isStale(error);
    if (isOutdated) this.workspaces.forgetVersion(workspaceId, version);
    if (isOutdated || error instanceof TryAgain || isTransactionConflict(error)) return true;
    // What an old definition took for a number may be a text by now.
    const isMisread = databaseErrorCode(error)?.startsWith('22') === true;
    // What is written belongs to a workspace that has just been deleted.
    const isOrphan = databaseErrorCode(error) === '23503';
    const isRefused = [InvalidFields, Refusal, RefusedExecution].some((kind) => error instanceof kind);
    return (isRefused || isMisread || isOrphan) && (await this.workspaces.forgetUnless(workspaceId, version));
  }
}

const MAX_ATTEMPTS = 5;

/** Whether the work failed because of a newer definition; `assert_definition` raises WTS01. */
function isStale(error: unknown): boolean {
  return error instanceof StaleDefinition || databaseErrorCode(error) === 'WTS01';
}
