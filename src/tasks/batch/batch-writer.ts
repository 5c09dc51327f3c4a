import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { rehearse } from '../../common/database/rehearse.js';
import { sql } from '../../common/database/sql.js';
import { databaseErrorCode } from '../../common/database-error.js';
import { Refusal } from '../../common/errors.js';
import { assertDefinition } from '../store/assert-definition.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { applyRows, type ByDefinition } from './apply-rows.js';
import { type BatchRow, type RowOutcome } from './batch-row.js';
import {
  deleteOthers,
  lineOfRefusedSync,
  lineOfSync,
  NamedTasks,
  type SyncOutcome,
  type SyncRequest,
} from './sync.js';
import { Scope } from '../../workflows/model/scope.js';

export interface BatchOptions {
  readonly isAtomic: boolean;
  readonly isDryRun: boolean;
  readonly sync: SyncRequest | undefined;
}

interface AllWritten {
  readonly outcomes: readonly RowOutcome[];
  readonly synced: string | undefined;
  /** Whether a refused row undid everything. */
  readonly isRefused: boolean;
}

/** Writes the parts of a batch one after the other. Adds what is written to the outcomes, even if it throws later. */
export type WriteRows = (rows: readonly BatchRow[], outcomes?: RowOutcome[]) => Promise<RowOutcome[]>;

@Injectable()
export class BatchWriter {
  constructor(private readonly work: UnitOfWork) {}

  /** Writes rows in their order, independently: a refused row does not affect the others. */
  eachOf(scope: Scope): WriteRows {
    let known = unbounded(scope);
    const by: ByDefinition = (work) =>
      withRetries(() =>
        this.work.begin(known, (unit) => {
          known = unit.scope;
          return unit.write((db) => work(db, known));
        }),
      );
    return (rows, outcomes) => applyRows(by, rows, outcomes);
  }

  /** Writes all rows in one transaction. Writes none if one row is refused, or in a dry run. */
  async allOf(scope: Scope, rows: readonly BatchRow[], options: BatchOptions): Promise<AllWritten> {
    return withRetries(() =>
      this.work.write(unbounded(scope), (db, current) => writeAll(db, current, rows, options)),
    );
  }

  async sync(scope: Scope, sync: SyncRequest, named: NamedTasks): Promise<SyncOutcome> {
    return withRetries(() =>
      this.work.write(unbounded(scope), (db, current) => deleteOthers(db, current, sync, named)),
    );
  }
}

/** A batch has no deadline. */
export function unbounded({ workflow, viewer, origin }: Scope): Scope {
  return new Scope(workflow, viewer, undefined, origin);
}

async function writeAll(
  db: EntityManager,
  scope: Scope,
  rows: readonly BatchRow[],
  { isAtomic, isDryRun, sync }: BatchOptions,
): Promise<AllWritten> {
  return rehearse<AllWritten>(
    (work) => db.transaction(work),
    async (tx) => {
      await sql(tx, standInLine, [scope.workspaceId, `batch of ${scope.workflow.id}`]);
      await assertDefinition(tx, scope.workflow);
      const outcomes = await applyRows((work) => work(tx, scope), rows);
      const isRefused = isAtomic && outcomes.some(({ status }) => status === 'error');
      const synced = sync && !isRefused ? await syncedLine(tx, scope, sync, outcomes, !isAtomic) : undefined;
      return { outcomes, synced, isRefused };
    },
    ({ isRefused }) => !isDryRun && !isRefused,
  );
}

/** In a dry run that has sent other lines, it may be the reason why nothing would be deleted. */
async function syncedLine(
  tx: EntityManager,
  scope: Scope,
  sync: SyncRequest,
  outcomes: readonly RowOutcome[],
  isRehearsal: boolean,
): Promise<string> {
  const named = new NamedTasks();
  named.add(outcomes);
  const synced = deleteOthers(tx, scope, sync, named, isRehearsal).then(lineOfSync);
  return isRehearsal ? synced.catch(lineOfRefusedSync) : synced;
}

// These batches lock tasks in the order of their rows, so two of them in one workflow could deadlock.
const standInLine = {
  name: 'stand-in-line',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($2, $1::integer))',
};

/** Repeats the work for up to half a minute if it was refused because of other work. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + RETRY_TIMEOUT_MS; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isCrowded(error) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
    }
  }
}

/** Whether there was no free place, or no lock in time. */
function isCrowded(error: unknown): boolean {
  return (
    (error instanceof Refusal && error.kind === 'unavailable') ||
    databaseErrorCode(error) === lockNotAvailable
  );
}

const lockNotAvailable = '55P03';
const RETRY_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 100;
