import { type EntityManager } from 'typeorm';
import { type StepOutcome } from '../actions/step.js';
import { sql } from '../database/sql.js';
import { type TaskChange } from '../schema/task-change.js';
import { changeRecordOf, changesBehind } from '../task-store/bulk-upsert.js';
import { noPrecondition } from '../task-store/task-row.js';
import { updateTogether } from '../task-store/task.sql.js';
import { updateTaskTogether } from '../task-store/upsert-task.js';
import { type Scope } from '../workspace/scope.js';
import { askTogether } from './ask-together.js';
import { type Claimed, type Ended, next } from './claims.repository.js';
import { aboutExecution, isOpen } from './executions.repository.js';

/**
 * Changes the task and ends the execution with `Success`, in one statement that is shared with others of the workflow.
 * Returns undefined and writes nothing if the task has changed since the execution was claimed, or if another process
 * has the execution.
 */
export async function finishWithTask(
  db: EntityManager,
  scope: Scope,
  { id, fence, taskId }: Claimed,
  { state, change }: { readonly state: string; readonly change: TaskChange },
  outcomes: readonly StepOutcome[],
): Promise<Ended | undefined> {
  const { workspaceId, workflow, origin } = scope;
  const demands = { ...noPrecondition, states: [state] };
  const request =
    `"task_id":${taskId},"execution":"${id}","fence":${fence},"outcomes":${JSON.stringify(outcomes)},` +
    `"origin":${JSON.stringify(origin?.text ?? null)},${changeRecordOf(workflow, { change, demands })}`;
  const line = `finish ${workspaceId}/${workflow.id}/${workflow.version}`;
  const finishing = { statement: finishAndUpdate, values: [id, fence, JSON.stringify(outcomes)] };
  const alone = (): Promise<Ended | undefined> =>
    updateTaskTogether(db, scope, taskId, change, demands, finishing);
  const together = async (db: EntityManager, records: readonly string[]): Promise<(Ended | undefined)[]> => {
    const json = `[${records.map((record, place) => `{"place":${place},${record}}`).join()}]`;
    const values = [workspaceId, workflow.id, workflow.version, json, null];
    const ended = await sql<Ended & { place: number }>(db, finishAll, values);
    const known = new Map(ended.map((each) => [each.place, each]));
    return records.map((_, place) => known.get(place));
  };
  return askTogether({ line, db, request }, together, alone);
}

const finishAndUpdate = updateTogether(
  'finish-and-update',
  `UPDATE executions SET status = 'Success', outcomes = $18::jsonb, finished_at = clock_timestamp(), lease_until = NULL
   WHERE workspace_id = $1 AND id = $16 AND fence = $17 AND ${isOpen} AND EXISTS (SELECT FROM meant)
   RETURNING ${next}`,
);

const end = `
  UPDATE executions SET status = 'Success', outcomes = g.outcomes, finished_at = clock_timestamp(), lease_until = NULL
  FROM meant m JOIN given g ON g.place = m.place
  WHERE executions.workspace_id = $1 AND executions.id = g.execution AND executions.fence = g.fence
    AND executions.${isOpen}
    AND executions.id = ANY (ARRAY(SELECT g.execution FROM meant m JOIN given g ON g.place = m.place))
  RETURNING g.place, ${aboutExecution('executions')} AS about, ${next}`;

// Does for all rows what the trigger `record_execution` does for each.
const told = `
  told AS (
    INSERT INTO events (workspace_id, id, type, origin, workflow_id, task_id, public_id, unique_value, version, about)
    SELECT $1, gen_random_uuid(), 'execution.succeeded', g.origin, $2, f.id, f.public_id, f.unique_value,
      COALESCE(t.version_offset + t.version, f.version_offset + f.version), e.about
    FROM ended e JOIN given g ON g.place = e.place JOIN found f ON f.place = e.place LEFT JOIN changed t ON t.place = e.place
    WHERE (SELECT records_itself FROM asserted)
    ORDER BY e.place
  )`;

const finishAll = changesBehind(
  'finish-executions',
  'execution text COLLATE "C", fence integer, outcomes jsonb',
  { name: 'ended', text: end },
  [told],
  'SELECT place, next FROM ended',
);
