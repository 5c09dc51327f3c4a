import { type EntityManager } from 'typeorm';
import { type Announced } from '../database/origin.js';
import { sql, type Statement, statementOf } from '../database/sql.js';
import { type TaskChange } from '../schema/task-change.js';
import { type Workflow } from '../workspace/workspace.js';
import { insertValues, isNumber, jsonOf, updateValues } from './task-values.js';
import {
  noPrecondition,
  type Precondition,
  withLinked,
  type TaskRow,
  versionOf,
  type ReadRow,
  plainColumns,
  taskColumns,
  tasksOf,
  type ListedRow,
  ofWorkflow,
  selectListed,
  type Shown,
} from './task-row.js';
import {
  changeThis,
  isSmall,
  numberedInserts,
  update,
  updateLarge,
  updateLargeLinked,
  updateLinked,
  updateThis,
  updateThisLinked,
  upserts,
  upsertsOfNumber,
} from './task.sql.js';
import { releaseOfDeleted } from './blobs.repository.js';
import { assertDefinition } from './assert-definition.js';

export interface Written {
  readonly task: TaskRow;
  readonly isCreated: boolean;
  /** Whether that made a new version. */
  readonly isChanged: boolean;
}

/**
 * Changes the task of the change's Unique ID in one statement; nothing comes back, and nothing is changed, when there
 * is no such task that meets the precondition, when the change would blank a required field or alter a frozen one, or
 * when the task is large and nobody has seen to room for it.
 */
export async function updateTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
  precondition: Precondition,
  hasRoom: boolean,
): Promise<Written | undefined> {
  const event = workflow.origin?.announce();
  const values = [...definitionOf(workflow), ...updateValues(workflow, change, precondition), event?.text];
  const [plain, linked] = hasRoom ? [updateLarge, updateLargeLinked] : [update, updateLinked];
  const statement = hasLinks(workflow) ? linked : plain;
  return noted(
    workflow,
    event,
    writtenBy(await sql<WrittenRow>(db, statement, values), () => false),
  );
}

/**
 * Changes the task of this id, as `updateTask` does for a Unique ID. `isTouched` counts a version even if the row stays
 * as it was, for what else the transaction changed.
 */
export async function updateThisTask(
  db: EntityManager,
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
  isTouched = false,
): Promise<Written | undefined> {
  const values = valuesOfThis(workflow, taskId, change, precondition);
  const rows = hasLinks(workflow)
    ? await sql<WrittenRow>(db, updateThisLinked, [...values, isTouched])
    : await sql<WrittenRow>(db, updateThis, values);
  return writtenBy(rows, () => false);
}

/** The same where nobody looks at the task afterwards, which may be large; whether it was there to be changed. */
export async function changeThisTask(
  db: EntityManager,
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  isTouched = false,
): Promise<boolean> {
  const values = valuesOfThis(workflow, taskId, change, noPrecondition);
  return (await sql(db, changeThis, [...values, isTouched])).length > 0;
}

/** Changes the task of this id by a statement of `updateTogether` with further parameters; gives what its other part returned. */
export async function updateTaskTogether<Row>(
  db: EntityManager,
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
  { statement, values }: { readonly statement: Statement; readonly values: readonly unknown[] },
): Promise<Row | undefined> {
  const told = workflow.origin?.text;
  const all = [...valuesOfThis(workflow, taskId, change, precondition), told, ...values];
  const [row] = await sql<Row>(db, statement, all);
  return row;
}

function valuesOfThis(
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
): readonly unknown[] {
  const [, ...values] = updateValues(workflow, change, precondition);
  return [...definitionOf(workflow), taskId, ...values];
}

function hasLinks({ schema }: Workflow): boolean {
  return schema.links.size > 0;
}

/** A task that was written, or found to be so already. */
type WrittenRow = TaskRow & Readonly<Pick<Written, 'isChanged'>>;

function writtenBy(rows: readonly WrittenRow[], isCreated: (task: TaskRow) => boolean): Written | undefined {
  const [row] = rows;
  const task = row && withLinked(row);
  return task && { task, isCreated: isCreated(task), isChanged: isCreated(task) || task.isChanged };
}

/** Keeps the id of the event that a write has made, if it has. */
function noted(
  { origin }: Workflow,
  event: Announced | undefined,
  written: Written | undefined,
): Written | undefined {
  if (origin && event && written?.isChanged) origin.lastEvent = event.id;
  return written;
}

/** Creates the task of the change's Unique ID, or else changes it as `updateTask` does where it is small. */
export async function upsertTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const statements = isNumber(workflow, change) ? upsertsOfNumber : upserts;
  const inserted = newTask(workflow, change);
  const event = workflow.origin?.announce();
  const updated = updateValues(workflow, change, precondition);
  const values = [...definitionOf(workflow), ...updated, ...inserted, event?.text];
  const rows = await sql<WrittenRow>(db, statements(hasLinks(workflow), workflow.hasChecklist), values);
  return noted(
    workflow,
    event,
    writtenBy(rows, ({ publicId }) => publicId === inserted[0]),
  );
}

/** Creates the task that a change asks for: under the next number where it names none and the workflow counts. */
export async function insertTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const isNumbered = change.uniqueValue == null && workflow.schema.uniqueId?.autoincrement === true;
  return isNumbered
    ? insertNumberedTask(db, workflow, change)
    : upsertTask(db, workflow, change, precondition);
}

/** Creates a task under the next number of its workflow; nothing comes back when a task has that number already. */
async function insertNumberedTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
): Promise<Written | undefined> {
  const event = workflow.origin?.announce();
  const inserted = newTask(workflow, change);
  const values = [...definitionOf(workflow), change.assigneeId, ...inserted, event?.text];
  const statement = numberedInserts(hasLinks(workflow), workflow.hasChecklist);
  return noted(
    workflow,
    event,
    writtenBy(await sql<WrittenRow>(db, statement, values), () => true),
  );
}

function definitionOf({ workspaceId, id, version }: Workflow): readonly unknown[] {
  return [workspaceId, id, version];
}

function newTask({ schema }: Workflow, change: TaskChange): readonly unknown[] {
  const [publicId, stageId, isActive, defaults] = insertValues(schema, change);
  return [publicId, stageId, isActive, jsonOf([...defaults, ...change.set])];
}

/**
 * Deletes the task of this Unique ID for good, in one statement; false, and nothing is deleted, where there is none in
 * one of the versions, where it has links, or where others write it at that moment.
 */
export async function deleteUnlinkedTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  { versions }: Precondition,
): Promise<boolean> {
  const { workspaceId, id, version, origin } = workflow;
  const event = origin?.announce();
  const values = [workspaceId, id, version, uniqueId, versions, event?.text];
  const isDeleted = (await sql(db, deleteUnlinked, values)).length > 0;
  if (origin && isDeleted) origin.lastEvent = event?.id;
  return isDeleted;
}

/** Deletes a task that is locked and has no links any more. */
export async function deleteLockedTask(tx: EntityManager, workflow: Workflow, taskId: string): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, deleteLocked, [workspaceId, id, version, taskId]);
}

const releasing = `
  released AS (${releaseOfDeleted})
  SELECT id FROM deleted`;

// Who begins a link changes the version, so a link that this statement's snapshot does not show makes it miss the task.
const deleteUnlinked = {
  name: 'delete-unlinked-task',
  text: `
    WITH deleted AS (
      DELETE FROM tasks t USING tasks seen
      WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $4
        AND ($5::bigint[] IS NULL OR ${versionOf} = ANY($5))
        AND seen.workspace_id = $1 AND seen.workflow_id = $2 AND seen.id = t.id AND seen.version = t.version
        AND NOT EXISTS (SELECT FROM links l WHERE l.workspace_id = $1 AND l.from_id = seen.id)
        AND NOT EXISTS (SELECT FROM links l WHERE l.workspace_id = $1 AND l.to_id = seen.id)
        AND assert_definition($1, $2, $3, $6)
      RETURNING t.id
    ), ${releasing}`,
};

const deleteLocked = {
  name: 'delete-locked-task',
  text: `
    WITH deleted AS (
      DELETE FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $4
        AND assert_definition($1, $2, $3)
      RETURNING t.id
    ), ${releasing}`,
};

/** The task of this Unique ID, read under the definition in force. */
export async function findTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
): Promise<TaskRow | undefined> {
  return readOne<TaskRow>(db, workflow, uniqueId, hasLinks(workflow) ? readLinkedTask : readTask);
}

/** Reads the task by one statement unless its values are large: then `readLarge` is told their size and decides when to read. */
export async function findTaskBySize(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  readLarge: (bytes: number, read: () => Promise<TaskRow | undefined>) => Promise<TaskRow | undefined>,
): Promise<TaskRow | undefined> {
  const statement = hasLinks(workflow) ? readSmallLinkedTask : readSmallTask;
  const task = await readOne<MeasuredRow>(db, workflow, uniqueId, statement);
  if (!task || hasValues(task)) return task;
  return readLarge(task.fieldValues, () => findTask(db, workflow, uniqueId));
}

async function readOne<Task extends Pick<TaskRow, 'id' | 'linked'>>(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  statement: Statement,
): Promise<Task | undefined> {
  const { workspaceId, id } = workflow;
  const [task] = tasksOf(workflow, await sql<ReadRow<Task>>(db, statement, [workspaceId, id, uniqueId]));
  return task;
}

/** A task with its values, or with the number of bytes that they take where they are large. */
type MeasuredRow = TaskRow | LargeRow;
type LargeRow = Omit<TaskRow, 'fieldValues'> & { readonly fieldValues: number };

function hasValues(row: MeasuredRow): row is TaskRow {
  return typeof row.fieldValues !== 'number';
}

/** The bytes of a large task's JSON, or of the answer that is kept under an `Idempotency-Key`; 0 where that is small. */
export async function answerSize(
  db: EntityManager,
  { workspaceId, id }: Workflow,
  uniqueId: string | null,
  idempotencyKey: string | undefined,
): Promise<number> {
  const [row] = await sql<{ size: number | null }>(db, size, [workspaceId, id, uniqueId, idempotencyKey]);
  return row?.size ?? 0;
}

/** The task, locked until the transaction ends; no newer definition can come into force meanwhile. */
export async function lockTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
): Promise<TaskRow | undefined> {
  const { workspaceId, id } = workflow;
  await assertDefinition(db, workflow);
  const [row] = await sql<TaskRow>(db, lockRow, [workspaceId, id, uniqueId]);
  return row;
}

/** SQL: the workspace $1 with the task of Unique ID $3, if there is one, in its workflow $2. */
export const taskOfUniqueId = `
  FROM workspaces w
  LEFT JOIN tasks t ON t.workspace_id = w.id AND t.workflow_id = $2 AND t.unique_value = $3`;

const reading = (columns: string): string => `
  SELECT w.version AS definition, ${columns}
  ${taskOfUniqueId}
  WHERE w.id = $1`;

const readingLinked = (columns: string): string => `
  SELECT w.version AS definition, ${columns}, l.linked
  ${taskOfUniqueId}
  LEFT JOIN LATERAL linked_tasks(w.id, ARRAY[t.id]) l ON t.id IS NOT NULL
  WHERE w.id = $1`;

// What is stored is not compressed, so its size is known without reading it; in JSON a character may take six bytes.
const jsonSize = 'octet_length(t.field_values::text)';
const smallColumns = `${plainColumns}, CASE WHEN ${isSmall}
  THEN t.field_values ELSE to_jsonb(${jsonSize}) END AS "fieldValues"`;

const size = {
  name: 'answer-size',
  text: `
    SELECT GREATEST(
      (SELECT ${jsonSize} FROM tasks t
       WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $3 AND NOT ${isSmall}),
      (SELECT octet_length(k.answer::text) FROM idempotency_keys k WHERE k.workspace_id = $1 AND k.key = $4)
    ) AS size`,
};

const readTask = { name: 'read-task', text: reading(taskColumns), isAwaited: true };
const readLinkedTask = { name: 'read-linked-task', text: readingLinked(taskColumns), isAwaited: true };
export const readSmallTask = { name: 'read-small-task', text: reading(smallColumns) };
const readSmallLinkedTask = { name: 'read-small-linked-task', text: readingLinked(smallColumns) };

const lockRow = {
  name: 'lock-task',
  text: `
    SELECT ${taskColumns} FROM tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $3
    FOR UPDATE`,
};

/** The tasks of these ids that are still there, in the order of the ids; the values of the later ones may be left out. */
export async function loadTasks(
  db: EntityManager,
  workflow: Workflow,
  ids: readonly string[],
  shown: Shown,
): Promise<ListedRow[]> {
  const values = [workflow.workspaceId, workflow.id, ids];
  return tasksOf(workflow, await sql<ReadRow<ListedRow>>(db, statementOf(selectListed(rows, shown)), values));
}

const rows = `
  SELECT t.*, given.place
  FROM unnest($3::bigint[]) WITH ORDINALITY given (id, place)
  JOIN tasks t ON ${ofWorkflow} AND t.id = given.id`;
