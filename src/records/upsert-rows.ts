import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Stored } from '../schema/field-type.js';
import { type TaskChange } from '../schema/task-change.js';
import { type Workflow } from '../workflows/workspace.js';
import { insertValues, jsonOf, updateValues } from './change-values.js';
import { noPrecondition } from './precondition.js';
import { upsertListedRows, upsertRows as upsert } from './upsert-rows-statement.js';

/** A change among many. */
export interface RowChange {
  readonly change: TaskChange;
  /** Whether it may create a task where there is none of its Unique ID. */
  readonly mayCreate: boolean;
  /** Values by field id that the task must hold already. */
  readonly holds: ReadonlyMap<string, Stored>;
}

/** What became of a row that was written. */
export type RowStatus = 'created' | 'updated' | 'unchanged';

/**
 * Creates or changes the tasks of many changes, which name no task twice and touch no links, in one statement; nothing
 * comes back for a change that it could not carry out: as it stands, or because others write the same task. New tasks
 * are created in the order of the changes.
 */
export async function upsertRows(
  db: EntityManager,
  workflow: Workflow,
  rows: readonly RowChange[],
): Promise<readonly (RowStatus | undefined)[]> {
  const { workspaceId, id, version, hasChecklist } = workflow;
  const json = `[${rows.map((row, place) => recordOf(workflow, row, place)).join(',')}]`;
  const statement = hasChecklist ? upsertListedRows : upsert;
  const written = await sql<WrittenRow>(db, statement, [workspaceId, id, version, json]);
  const statuses = new Map(written.map(({ place, status }) => [place, status]));
  return rows.map((_, place) => statuses.get(place));
}

interface WrittenRow {
  readonly place: number;
  readonly status: RowStatus;
}

/** A change as the record that the statement reads, written out for speed. */
function recordOf(workflow: Workflow, { change, mayCreate, holds }: RowChange, place: number): string {
  const demands = { ...noPrecondition, holds };
  const [uniqueValue, stageId, isActive, setsAssignee, assigneeId, set, blank, mustBeBlank, fixed] =
    updateValues(workflow, change, demands);
  const [publicId, firstStageId, isFirstActive, defaults] = insertValues(workflow.schema, change);
  const assignee = assigneeId == null ? '' : `,"assignee_id":${JSON.stringify(assigneeId)}`;
  const stage = stageId === undefined ? '' : `,"stage_id":${stageId},"is_active":${isActive ?? false}`;
  const name = uniqueValue == null ? '' : `,"unique_value":${JSON.stringify(uniqueValue)}`;
  return (
    `{"place":${place}${name}${stage},"sets_assignee":${setsAssignee}${assignee},"set":${set}` +
    `,"blank":${JSON.stringify(blank)},"must_be_blank":${JSON.stringify(mustBeBlank)},"fixed":${fixed}` +
    `,"may_create":${mayCreate},"public_id":"${publicId}","first_stage_id":${firstStageId}` +
    `,"is_first_active":${isFirstActive},"defaults":${jsonOf(defaults)}}`
  );
}
