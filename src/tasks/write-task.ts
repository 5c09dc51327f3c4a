import { type EntityManager } from 'typeorm';
import { notFound, preconditionFailed, TryAgain } from '../errors/errors.js';
import { type FieldErrors } from '../errors/field-errors.js';
import { lockTask } from '../records/find-task.js';
import { type Precondition } from '../records/precondition.js';
import { insertNumberedTask, updateTask, upsertTask, type Written } from '../records/write-task.js';
import { type JsonObject } from '../schema/json.js';
import {
  canCreate,
  judgeCreation,
  judgeUnnamedUpdate,
  judgeUpdate,
  judgeValues,
} from '../schema/judge-task.js';
import { type ParsedTask, parseTask } from '../schema/parse-task.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workflows/workspace.js';

/** A POST or PUT of a task. */
export interface Write {
  readonly verb: 'upsert' | 'update';
  readonly payload: JsonObject;
  readonly precondition: Precondition;
  /** The key under which the request may come again. */
  readonly idempotencyKey?: string | undefined;
}

/** Carries out a write: by one statement where the payload alone tells that it may. */
export async function writeTask(db: EntityManager, workflow: Workflow, write: Write): Promise<Written> {
  const parsed = parseTask(workflow.schema, write.payload);
  if (parsed.change.uniqueValue == null) return writeUnnamed(db, workflow, parsed, write);
  return (await writeAtOnce(db, workflow, parsed, write)) ?? writeLocked(db, workflow, parsed, write);
}

/** A payload that names no task can only create one. */
async function writeUnnamed(
  db: EntityManager,
  workflow: Workflow,
  parsed: ParsedTask,
  { verb, precondition }: Write,
): Promise<Written> {
  const { schema } = workflow;
  const errors = verb === 'upsert' ? judgeCreation(schema, parsed) : judgeUnnamedUpdate(schema, parsed);
  errors.throwIfAny();
  if (precondition.mustExist) throw preconditionFailed();
  const insert = schema.uniqueId?.autoincrement ? insertNumberedTask : upsertTask;
  return (await insert(db, workflow, parsed.change, precondition)) ?? tryAgain();
}

/** The common case, in one statement; undefined when it takes the task's lock to tell. */
async function writeAtOnce(
  db: EntityManager,
  workflow: Workflow,
  { change, refused }: ParsedTask,
  { verb, precondition }: Write,
): Promise<Written | undefined> {
  if (refused.length > 0) return undefined;
  const { schema } = workflow;
  const mayCreate = verb === 'upsert' && !precondition.mustExist && canCreate(schema, change);
  // Numbered creations stand in line at one counter; most writes are no creations and need not.
  const mayUpdate = !mayCreate || schema.uniqueId?.autoincrement === true;
  const updated = mayUpdate ? await updateTask(db, workflow, change, precondition) : undefined;
  return updated ?? (mayCreate ? upsertTask(db, workflow, change, precondition) : undefined);
}

/** Finds out under the task's lock what the payload may do, and does that. */
async function writeLocked(
  db: EntityManager,
  workflow: Workflow,
  parsed: ParsedTask,
  write: Write,
): Promise<Written> {
  const { verb, precondition } = write;
  return db.transaction(async (tx) => {
    const task = await lockTask(tx, workflow, parsed.change.uniqueValue ?? '');
    judge(workflow.schema, parsed, task, write).throwIfAny();
    if (!meets(task, precondition)) throw preconditionFailed();
    if (!task && verb === 'update') throw notFound();
    return (await (task ? updateTask : upsertTask)(tx, workflow, parsed.change, precondition)) ?? tryAgain();
  });
}

function judge(
  schema: TaskSchema,
  parsed: ParsedTask,
  task: TaskView | undefined,
  { verb, precondition }: Write,
): FieldErrors {
  if (task) return judgeUpdate(schema, parsed, task);
  return verb === 'upsert' && !precondition.mustExist ? judgeCreation(schema, parsed) : judgeValues(parsed);
}

function meets(task: TaskView | undefined, { mustExist, versions }: Precondition): boolean {
  return task ? !versions || versions.includes(task.version) : !mustExist;
}

function tryAgain(): never {
  throw new TryAgain('others write the same task');
}
