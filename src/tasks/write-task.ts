import { type EntityManager } from 'typeorm';
import { notFound, TryAgain } from '../errors/errors.js';
import { type FieldErrors } from '../errors/field-errors.js';
import { lockTask } from '../records/find-task.js';
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

export type Verb = 'upsert' | 'update';

/** Carries out a POST or PUT of a task: by one statement where the payload alone tells that it may. */
export async function writeTask(
  db: EntityManager,
  workflow: Workflow,
  payload: JsonObject,
  verb: Verb,
): Promise<Written> {
  const parsed = parseTask(workflow.schema, payload);
  if (parsed.change.uniqueValue == null) return writeUnnamed(db, workflow, parsed, verb);
  return (await writeAtOnce(db, workflow, parsed, verb)) ?? writeLocked(db, workflow, parsed, verb);
}

/** A payload that names no task can only create one. */
async function writeUnnamed(
  db: EntityManager,
  workflow: Workflow,
  parsed: ParsedTask,
  verb: Verb,
): Promise<Written> {
  const { schema } = workflow;
  const errors = verb === 'upsert' ? judgeCreation(schema, parsed) : judgeUnnamedUpdate(schema, parsed);
  errors.throwIfAny();
  const insert = schema.uniqueId?.autoincrement ? insertNumberedTask : upsertTask;
  return (await insert(db, workflow, parsed.change)) ?? tryAgain();
}

/** The common case, in one statement; undefined when it takes the task's lock to tell. */
async function writeAtOnce(
  db: EntityManager,
  workflow: Workflow,
  parsed: ParsedTask,
  verb: Verb,
): Promise<Written | undefined> {
  if (parsed.refused.length > 0) return undefined;
  const isUpsert = verb === 'upsert' && canCreate(workflow.schema, parsed);
  return (isUpsert ? upsertTask : updateTask)(db, workflow, parsed.change);
}

/** Finds out under the task's lock what the payload may do, and does that. */
async function writeLocked(
  db: EntityManager,
  workflow: Workflow,
  parsed: ParsedTask,
  verb: Verb,
): Promise<Written> {
  return db.transaction(async (tx) => {
    const task = await lockTask(tx, workflow, parsed.change.uniqueValue ?? '');
    judge(workflow.schema, parsed, task, verb).throwIfAny();
    if (!task && verb === 'update') throw notFound();
    return (await (task ? updateTask : upsertTask)(tx, workflow, parsed.change)) ?? tryAgain();
  });
}

function judge(schema: TaskSchema, parsed: ParsedTask, task: TaskView | undefined, verb: Verb): FieldErrors {
  if (task) return judgeUpdate(schema, parsed, task);
  return verb === 'upsert' ? judgeCreation(schema, parsed) : judgeValues(parsed);
}

function tryAgain(): never {
  throw new TryAgain('others write the same task');
}
