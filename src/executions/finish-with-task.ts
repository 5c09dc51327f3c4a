import { type EntityManager } from 'typeorm';
import { type StepOutcome } from '../actions/step.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { noPrecondition } from '../tasks/store/task-row.js';
import { updateTogether } from '../tasks/store/task.sql.js';
import { updateTaskTogether } from '../tasks/store/upsert-task.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Claimed, type Ended, next } from './claims.repository.js';
import { isOpen } from './executions.repository.js';

/**
 * Changes the task and ends the execution with `Success`, in one statement. Returns undefined and writes nothing if the
 * task has changed since the execution was claimed, or if another process has the execution.
 */
export async function finishWithTask(
  db: EntityManager,
  scope: Scope,
  { id, fence, taskId }: Claimed,
  { state, change }: { readonly state: string; readonly change: TaskChange },
  outcomes: readonly StepOutcome[],
): Promise<Ended | undefined> {
  const demands = { ...noPrecondition, states: [state] };
  const finishing = { statement: finishAndUpdate, values: [id, fence, JSON.stringify(outcomes)] };
  return updateTaskTogether<Ended>(db, scope, taskId, change, demands, finishing);
}

const finishAndUpdate = updateTogether(
  'finish-and-update',
  `UPDATE executions SET status = 'Success', outcomes = $18::jsonb, finished_at = clock_timestamp(), lease_until = NULL
   WHERE workspace_id = $1 AND id = $16 AND fence = $17 AND ${isOpen} AND EXISTS (SELECT FROM meant)
   RETURNING ${next}`,
);
