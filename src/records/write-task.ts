import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { randomText } from '../random-text.js';
import { type Stored } from '../schema/field-type.js';
import { type TaskChange } from '../schema/task-change.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Precondition } from './precondition.js';
import { withLinked } from './linked-task.js';
import { linkedColumns, taskColumns, type TaskRow } from './task-row.js';

export interface Written {
  readonly task: TaskRow;
  readonly isCreated: boolean;
}

/**
 * Changes the task of the change's Unique ID in one statement; nothing comes back, and nothing is changed, when there
 * is no such task that meets the precondition, or when the change would blank a required field or alter a frozen one.
 * It is a new version if the change alters it, or if it was touched otherwise in the same transaction.
 */
export async function updateTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
  precondition: Precondition,
  isTouched = false,
): Promise<Written | undefined> {
  const values = updateValues(workflow, change, precondition);
  const rows = hasLinks(workflow)
    ? await sql<TaskRow>(db, updateLinked, [...values, isTouched])
    : await sql<TaskRow>(db, update, values);
  return writtenBy(rows, () => false);
}

function hasLinks({ schema }: Workflow): boolean {
  return schema.links.size > 0;
}

function writtenBy(rows: readonly TaskRow[], isCreated: (task: TaskRow) => boolean): Written | undefined {
  const [row] = rows;
  const task = row && withLinked(row);
  return task && { task, isCreated: isCreated(task) };
}

/** Creates the task of the change's Unique ID, or else changes it as `updateTask` does. */
export async function upsertTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const [plain, linked] = isNumber(workflow, change)
    ? [upsertNumber, upsertLinkedNumber]
    : [upsert, upsertLinked];
  const inserted = insertValues(workflow.schema, change);
  const values = [...updateValues(workflow, change, precondition), ...inserted];
  const rows = await sql<TaskRow>(db, hasLinks(workflow) ? linked : plain, values);
  return writtenBy(rows, ({ publicId }) => publicId === inserted[0]);
}

function isNumber({ schema }: Workflow, { uniqueValue }: TaskChange): boolean {
  return schema.uniqueId?.autoincrement === true && /^(0|[1-9]\d{0,37})$/.test(uniqueValue ?? '');
}

/** Creates a task under the next number of its workflow; nothing comes back when a task has that number already. */
export async function insertNumberedTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
): Promise<Written | undefined> {
  const { workspaceId, id, version } = workflow;
  const values = [workspaceId, id, version, change.assigneeId, ...insertValues(workflow.schema, change)];
  return writtenBy(await sql<TaskRow>(db, insertNumbered, values), () => true);
}

function updateValues(
  { workspaceId, id, version, schema }: Workflow,
  change: TaskChange,
  { versions, holds }: Precondition,
): unknown[] {
  const { stageId, assigneeId, uniqueValue, set, blank } = change;
  const mustBeBlank = (field: string): boolean =>
    schema.required.has(field) || schema.frozen.has(field) || holds.has(field);
  const fixed = [...[...set].filter(([field]) => schema.frozen.has(field)), ...holds];
  return [
    workspaceId,
    id,
    version,
    uniqueValue,
    stageId,
    stageId === undefined ? undefined : !schema.stages.get(stageId).isEnd,
    assigneeId !== undefined,
    assigneeId,
    jsonOf(set),
    [...blank],
    [...blank].filter(mustBeBlank),
    jsonOf(fixed.filter(([field]) => !blank.has(field))),
    versions,
  ];
}

/** The public id, the stage, whether that is active, and the values, with defaults where the change is silent. */
function insertValues({ stages, defaults }: TaskSchema, change: TaskChange): unknown[] {
  const { stageId, set, blank } = change;
  const stage = stageId === undefined ? stages.initial : stages.get(stageId);
  const given = [...defaults].filter(([field]) => !blank.has(field) && !set.has(field));
  const publicId = randomText(9);
  return [publicId, stage.id, !stage.isEnd, jsonOf([...given, ...set])];
}

/** Values by field id as JSON; no id needs an escape. */
function jsonOf(values: Iterable<readonly [string, Stored]>): string {
  let text = '';
  for (const [field, value] of values) text += `${text && ','}"${field}":${JSON.stringify(value)}`;
  return `{${text}}`;
}

const newStage = 'COALESCE($5::integer, t.stage_id)';
const newAssignee = 'CASE WHEN $7::boolean THEN $8::text ELSE t.assignee_id END';
const newValues = '(t.field_values - $10::text[]) || $9::jsonb';
const isNew = `(t.stage_id, t.assignee_id, t.field_values) IS DISTINCT FROM (${newStage}, ${newAssignee}, ${newValues})`;

const assignments = (isNew: string): string => `
  stage_id = ${newStage},
  is_active = COALESCE($6::boolean, t.is_active),
  assignee_id = ${newAssignee},
  field_values = ${newValues},
  version = t.version + (${isNew})::integer,
  updated_at = CASE WHEN ${isNew} THEN clock_timestamp() ELSE t.updated_at END`;

// What is required stays filled and what is frozen or held stays the same: $11 blank already, $12 what it is already.
// And the version is one of $13, unless any will do.
const keeps = `($13::integer[] IS NULL OR t.version = ANY($13)) AND (
  ($11::text[] = '{}' AND $12::jsonb = '{}') OR (t.field_values - $11::text[]) || $12::jsonb = t.field_values
)`;

const updateText = (isNew: string, columns: string): string => `
  UPDATE tasks t SET ${assignments(isNew)}
  WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $4 AND ${keeps}
    AND assert_definition($1, $2, $3)
  RETURNING ${columns}`;

export const update = { name: 'update-task', text: updateText(isNew, taskColumns) };
const updateLinked = {
  name: 'update-linked-task',
  text: updateText(`${isNew} OR $14::boolean`, linkedColumns),
};

const target = `tasks AS t
  (workspace_id, workflow_id, unique_value, assignee_id, public_id, stage_id, is_active, field_values)`;

const upsertText = (from: string, columns: string): string => `
  INSERT INTO ${target}
  SELECT $1::integer, $2::integer, $4::text, $8::text, $14::text, $15::integer, $16::boolean, $17::jsonb ${from}
  ON CONFLICT (workspace_id, workflow_id, unique_value) DO UPDATE SET ${assignments(isNew)} WHERE ${keeps}
  RETURNING ${columns}`;

const asserted = 'WHERE assert_definition($1, $2, $3)';
export const upsert = { name: 'upsert-task', text: upsertText(asserted, taskColumns) };
const upsertLinked = { name: 'upsert-linked-task', text: upsertText(asserted, linkedColumns) };

/** Gives the workflow's counter its next value; the row's lock puts all who number tasks in one line. */
const counted = (first: string, next: string): string => `
  WITH counter AS (
    INSERT INTO unique_id_counters AS c (workspace_id, workflow_id, last)
    SELECT $1::integer, $2::integer, ${first} WHERE assert_definition($1, $2, $3)
    ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET last = ${next}
    RETURNING last
  )`;

const upsertNumberText = (columns: string): string =>
  counted('$4::numeric', 'GREATEST(c.last, $4::numeric)') + upsertText('FROM counter', columns);
const upsertNumber = { name: 'upsert-task-of-number', text: upsertNumberText(taskColumns) };
const upsertLinkedNumber = { name: 'upsert-linked-task-of-number', text: upsertNumberText(linkedColumns) };

const insertNumbered = {
  name: 'insert-numbered-task',
  text: `
    ${counted('1', 'c.last + 1')}
    INSERT INTO ${target}
    SELECT $1::integer, $2::integer, last::text, $4::text, $5::text, $6::integer, $7::boolean, $8::jsonb FROM counter
    ON CONFLICT DO NOTHING
    RETURNING ${taskColumns}`,
};
