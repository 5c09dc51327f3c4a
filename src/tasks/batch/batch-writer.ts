import { Injectable } from '@nestjs/common';
import { databaseErrorCode } from '../../common/database-error.js';
import { Refusal } from '../../common/errors.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { applyRows, type ByDefinition } from './apply-rows.js';
import { type BatchRow, type RowOutcome } from './batch-row.js';
import { Scope } from '../../workflows/model/scope.js';

/** Writes a part of a batch. Adds the results of written and refused rows to `outcomes`. */
export type WriteRows = (rows: readonly BatchRow[], outcomes?: RowOutcome[]) => Promise<RowOutcome[]>;

@Injectable()
export class BatchWriter {
  constructor(private readonly work: UnitOfWork) {}

  /** Returns a function that writes rows in their order. A refused row does not affect the others. */
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
}

/** Returns the scope without its deadline, because batches have none. */
export function unbounded({ workflow, viewer, origin }: Scope): Scope {
  return new Scope(workflow, viewer, undefined, origin);
}

/** Repeats the work for up to 30 seconds while the service is busy or a lock is not available. */
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

function isCrowded(error: unknown): boolean {
  return (
    (error instanceof Refusal && error.kind === 'unavailable') ||
    databaseErrorCode(error) === lockNotAvailable
  );
}

const lockNotAvailable = '55P03';
const RETRY_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 100;
