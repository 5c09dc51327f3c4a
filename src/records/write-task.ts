import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../database/sql.js';
import { type TaskChange } from '../schema/task-change.js';
import { type Workflow } from '../workflows/workspace.js';
import { insertValues, isNumber, jsonOf, updateValues } from './change-values.js';
import { type Precondition } from './precondition.js';
import { withLinked } from './linked-task.js';
import { type TaskRow } from './task-row.js';
import {
  numberedInserts,
  update,
  updateLinked,
  updateThis,
  updateThisLinked,
  upserts,
  upsertsOfNumber,
} from './write-statements.js';

export interface Written {
  readonly task: TaskRow;
  readonly isCreated: boolean;
}

/**
 * Changes the task of the change's Unique ID in one statement; nothing comes back, and nothing is changed, when there
 * is no such task that meets the precondition, or when the change would blank a required field or alter a frozen one.
 */
export async function updateTask(
  db: EntityManager,
  workflow: Workflow,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const values = [...definitionOf(workflow), ...updateValues(workflow, change, precondition)];
  const statement = hasLinks(workflow) ? updateLinked : update;
  return writtenBy(await sql<TaskRow>(db, statement, values), () => false);
}

/**
 * The same of the task of this id, whatever its Unique ID. It is a new version also if the task was touched otherwise in
 * the same transaction.
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
    ? await sql<TaskRow>(db, updateThisLinked, [...values, isTouched])
    : await sql<TaskRow>(db, updateThis, values);
  return writtenBy(rows, () => false);
}

/** The same by a statement of `updateTogether`, with its further parameters; gives what its other part returned. */
export async function updateTaskTogether<Row>(
  db: EntityManager,
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
  { statement, values }: { readonly statement: Statement; readonly values: readonly unknown[] },
): Promise<Row | undefined> {
  const all = [...valuesOfThis(workflow, taskId, change, precondition), ...values];
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
  const statements = isNumber(workflow, change) ? upsertsOfNumber : upserts;
  const inserted = newTask(workflow, change);
  const values = [...definitionOf(workflow), ...updateValues(workflow, change, precondition), ...inserted];
  const rows = await sql<TaskRow>(db, statements(hasLinks(workflow), workflow.hasChecklist), values);
  return writtenBy(rows, ({ publicId }) => publicId === inserted[0]);
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
  const values = [...definitionOf(workflow), change.assigneeId, ...newTask(workflow, change)];
  const statement = numberedInserts(hasLinks(workflow), workflow.hasChecklist);
  return writtenBy(await sql<TaskRow>(db, statement, values), () => true);
}

function definitionOf({ workspaceId, id, version }: Workflow): readonly unknown[] {
  return [workspaceId, id, version];
}

function newTask({ schema }: Workflow, change: TaskChange): readonly unknown[] {
  const [publicId, stageId, isActive, defaults] = insertValues(schema, change);
  return [publicId, stageId, isActive, jsonOf([...defaults, ...change.set])];
}
