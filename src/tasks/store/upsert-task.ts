import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../../common/database/sql.js';
import { barringStages, type TaskChange } from '../../workflows/fields/task-change.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { hasLinks, noPrecondition, type Precondition, type TaskRow, withLinked } from './task-row.js';
import {
  changeThis,
  numberedInserts,
  update,
  updateLinked,
  updateThis,
  updateThisLinked,
  upserts,
  upsertsOfNumber,
} from './task.sql.js';
import { textAsJson } from '../../../packages/exact-json/json.js';
import { randomText } from '../../common/random-id.js';
import { type Stored } from '../../workflows/fields/field-type.js';
import { noLocks } from '../../workflows/fields/protection.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface Written {
  readonly task: TaskRow;
  readonly isCreated: boolean;
  /** Whether the write made a new version. */
  readonly isChanged: boolean;
}

/**
 * Updates the task with the change's Unique ID in one statement. Returns undefined and changes nothing if no
 * task meets the precondition. Also returns undefined if the change would blank a required field or alter a
 * guarded field, or if the stage of the task locks a field of the change.
 */
export async function updateTask(
  db: EntityManager,
  scope: Scope,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const statement = hasLinks(scope.workflow) ? updateLinked : update;
  return writeWithOrigin(db, scope, statement, updateValues(scope.workflow, change, precondition));
}

/**
 * Updates the task with this id, like `updateTask`. With `isTouched`, the task gets a new version even if its
 * row stays the same. Use this if the transaction changes the links of the task.
 */
export async function updateThisTask(
  db: EntityManager,
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
  isTouched = false,
): Promise<Written | undefined> {
  const values = [...valuesOfThis(workflow, taskId, change, precondition), isTouched];
  const rows = await sql<WrittenRow>(db, hasLinks(workflow) ? updateThisLinked : updateThis, values);
  return writtenBy(rows);
}

/** Updates the task with this id without reading it afterwards; returns whether the update was possible. */
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

/** Updates a task by a statement of `updateTogether`; returns the row of the other table. */
export async function updateTaskTogether<Row>(
  db: EntityManager,
  scope: Scope,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
  { statement, values }: { readonly statement: Statement; readonly values: readonly unknown[] },
): Promise<Row | undefined> {
  const origin = scope.origin?.text;
  const all = [...valuesOfThis(scope.workflow, taskId, change, precondition), origin, ...values];
  const [row] = await sql<Row>(db, statement, all);
  return row;
}

function valuesOfThis(
  workflow: Workflow,
  taskId: string,
  change: TaskChange,
  precondition: Precondition,
): readonly unknown[] {
  // The caller has checked the stage, and has locked the task or passed its state as a precondition.
  const [, ...values] = updateValues(workflow, { ...change, locks: noLocks }, precondition);
  return [...definitionOf(workflow), taskId, ...values];
}

/** A task that was written, or that already had the requested values. */
type WrittenRow = TaskRow & Readonly<Pick<Written, 'isChanged'>>;

/** Returns the written task. If `newId` is its public id, the statement has created the task. */
function writtenBy([row]: readonly WrittenRow[], newId?: string): Written | undefined {
  if (!row) return undefined;
  const isCreated = row.publicId === newId;
  return { task: withLinked(row), isCreated, isChanged: isCreated || row.isChanged };
}

/** Runs a statement whose last parameter is the origin of the change. */
async function writeWithOrigin(
  db: EntityManager,
  scope: Scope,
  statement: Statement,
  values: readonly unknown[],
  newId?: string,
): Promise<Written | undefined> {
  const { origin, workflow } = scope;
  const rows = await sql<WrittenRow>(db, statement, [...definitionOf(workflow), ...values, origin?.text]);
  return writtenBy(rows, newId);
}

/** If a task has the change's Unique ID, updates the task like `updateTask`. Otherwise creates a task. */
export async function upsertTask(
  db: EntityManager,
  scope: Scope,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const { workflow } = scope;
  const statements = isNumber(workflow, change) ? upsertsOfNumber : upserts;
  const statement = statements(hasLinks(workflow), workflow.hasChecklist);
  const updated = updateValues(workflow, change, precondition);
  const [, , , , , given] = updated;
  const inserted = newTask(workflow, change, given);
  return writeWithOrigin(db, scope, statement, [...updated, ...inserted], inserted[0]);
}

/** Like `upsertTask`. If the workflow numbers its tasks, a task without a Unique ID gets the next number. */
export async function insertTask(
  db: EntityManager,
  scope: Scope,
  change: TaskChange,
  precondition: Precondition,
): Promise<Written | undefined> {
  const { workflow } = scope;
  const isNumbered = change.uniqueValue == null && workflow.schema.uniqueId?.autoincrement === true;
  if (!isNumbered) return upsertTask(db, scope, change, precondition);
  // Inserts nothing if a task already has the next number.
  const statement = numberedInserts(hasLinks(workflow), workflow.hasChecklist);
  const inserted = newTask(workflow, change, jsonOfValues(change.set));
  return writeWithOrigin(db, scope, statement, [change.assigneeId, ...inserted], inserted[0]);
}

function definitionOf({ workspaceId, id, version }: Workflow): readonly unknown[] {
  return [workspaceId, id, version];
}

/** Returns the column values of a new task. `given` is the JSON of the change's values, without defaults. */
function newTask({ schema }: Workflow, change: TaskChange, given: string) {
  const [publicId, stageId, isActive, defaults, due] = insertValues(schema, change);
  const values = defaults.length === 0 ? given : jsonOfValues([...defaults, ...change.set]);
  return [publicId, stageId, isActive, values, due] as const;
}

/** Returns the parameters of an update from $4 on. $1 to $3 are the workspace, workflow and version. */
export function updateValues(
  { schema }: Pick<Workflow, 'schema'>,
  change: TaskChange,
  { states, holds }: Pick<Precondition, 'states' | 'holds'>,
) {
  const { stageId, assigneeId, uniqueValue, set, blank, guards } = change;
  const mustBeBlank = (field: string): boolean =>
    schema.required.has(field) || guards.has(field) || holds.has(field);
  // Most changes guard no fields and need no filter.
  const guarded = guards.size === 0 ? [] : [...set].filter(([field]) => guards.has(field));
  const blanked = [...blank];
  return [
    uniqueValue,
    stageId,
    stageId === undefined ? undefined : !schema.stages.get(stageId).isEnd,
    assigneeId !== undefined,
    assigneeId,
    jsonOfValues(set),
    blanked,
    blanked.filter(mustBeBlank),
    jsonOfValues([...guarded, ...holds].filter(([field]) => !blank.has(field))),
    states,
    barringStages(change),
  ] as const;
}

/**
 * Returns a new task's public id and stage, and whether the task is active. Then come the defaults for
 * missing values, and the time when the task is due.
 */
export function insertValues(
  { stages, defaults, dueAt }: TaskSchema,
  { stageId, publicId, set, blank }: TaskChange,
) {
  const stage = stageId === undefined ? stages.initial : stages.get(stageId);
  const given = [...defaults].filter(([field]) => !blank.has(field) && !set.has(field));
  const due = dueAt(stage, (field) => set.get(field) ?? (blank.has(field) ? undefined : defaults.get(field)));
  return [publicId ?? randomText(9), stage.id, !stage.isEnd, given, due] as const;
}

/** Whether the workflow numbers its tasks, and this Unique ID is a number that may advance the counter. */
function isNumber({ schema }: Pick<Workflow, 'schema'>, { uniqueValue }: TaskChange): boolean {
  return schema.uniqueId?.autoincrement === true && /^(0|[1-9]\d{0,37})$/.test(uniqueValue ?? '');
}

/** Serializes values as a JSON object whose keys are the ids of the fields. */
export function jsonOfValues(
  values: ReadonlyMap<string, Stored> | readonly (readonly [string, Stored])[],
): string {
  let text = '';
  for (const [field, value] of values) text += `${text === '' ? '' : ','}${memberOf(field, value)}`;
  return `{${text}}`;
}

/** Returns a member of a JSON object. Field ids need no escaping. */
function memberOf(field: string, value: Stored): string {
  return `"${field}":${typeof value === 'string' ? textAsJson(value) : JSON.stringify(value)}`;
}
