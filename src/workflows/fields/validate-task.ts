import { FieldErrors } from '../../common/field-errors.js';
import { type Stored } from './field-type.js';
import { type Guard, lockedIn } from './protection.js';
import { type ParsedTask } from './parse-task.js';
import { type TaskChange } from './task-change.js';
import { type TaskSchema } from './task-schema.js';
import { type TaskView } from './task-view.js';

/** The errors of this payload if there is no stored task to compare it with. */
export function validateValues({ refused }: ParsedTask): FieldErrors {
  const errors = new FieldErrors();
  for (const { name, reason } of refused) errors.add(name, reason.said);
  return errors;
}

/**
 * Why this payload cannot create a task; empty if it can. Values that a new task would get by default are
 * always accepted.
 */
export function validateCreation(schema: TaskSchema, parsed: ParsedTask): FieldErrors {
  const refused = parsed.refused.filter(({ property, input }) => property?.isInitial?.(input) !== true);
  const errors = validateValues({ ...parsed, refused });
  for (const name of missing(schema, parsed.change))
    if (!isRefused(parsed, name)) errors.add(name, 'is required');
  for (const { name, creating = '' } of barredAtCreation(schema, parsed.change)) errors.add(name, creating);
  return errors;
}

/** Why a payload without a Unique ID cannot change a task. */
export function validateUnnamedUpdate({ uniqueId }: TaskSchema, parsed: ParsedTask): FieldErrors {
  const errors = validateValues(parsed);
  if (!uniqueId) return errors.add('base', 'This workflow has no Unique ID field');
  return isRefused(parsed, uniqueId.name) ? errors : errors.add(uniqueId.name, 'is required');
}

/**
 * Why this payload cannot change this task. Values that the task already has are always accepted. A list is
 * also accepted if each member is valid or is already in the task's list. `parsed.change` then gets the whole
 * given list.
 */
export function validateUpdate(schema: TaskSchema, parsed: ParsedTask, task: TaskView): FieldErrors {
  const errors = new FieldErrors();
  for (const { name, property, input, reason } of parsed.refused)
    if (property?.repeats?.(input, task, parsed.change) !== true) errors.add(name, reason.said);
  for (const [id, name] of schema.required)
    if (parsed.change.blank.has(id) && task.fieldValues[id] !== undefined) errors.add(name, 'is required');
  for (const [id, { name, changing }] of parsed.change.guards)
    if (isChanged(parsed.change, id, task.fieldValues[id])) errors.add(name, changing);
  return addLocked(errors, parsed.change, task);
}

/**
 * Adds an error for each changed key that is locked in the task's stage. `tasks/links/` checks the links
 * later.
 */
function addLocked(errors: FieldErrors, change: TaskChange, task: TaskView): FieldErrors {
  const lock = change.locks.own.get(task.stageId);
  for (const [key, name] of lock?.barred ?? [])
    if (lock && !change.guards.has(key) && isAltered(change, key, task)) errors.add(name, lockedIn(lock));
  return errors;
}

function isAltered(change: TaskChange, key: string, { stageId, assigneeId, fieldValues }: TaskView): boolean {
  if (key === 'Stage') return change.stageId !== undefined && change.stageId !== stageId;
  if (key === 'Assigned To') return change.assigneeId !== undefined && change.assigneeId !== assigneeId;
  return isChanged(change, key, fieldValues[key]);
}

/** Whether this change could create a task, as far as the definition alone can tell. */
export function canCreate(schema: TaskSchema, change: TaskChange): boolean {
  return missing(schema, change).length + barredAtCreation(schema, change).length === 0;
}

function isRefused({ refused }: ParsedTask, wanted: string): boolean {
  return refused.some(({ name }) => name === wanted);
}

function missing(schema: TaskSchema, change: TaskChange): string[] {
  const names: string[] = [];
  if (schema.uniqueId?.required && !schema.uniqueId.autoincrement && change.uniqueValue == null)
    names.push(schema.uniqueId.name);
  for (const [id, name] of schema.required)
    if (!isGiven(change, id) && (change.blank.has(id) || !schema.defaults.has(id))) names.push(name);
  return names;
}

/**
 * The guards that a new task would break, because the change gives their keys other values than the defaults.
 */
function barredAtCreation({ defaults }: TaskSchema, change: TaskChange): Guard[] {
  const barred: Guard[] = [];
  for (const [id, guard] of change.guards)
    if (guard.creating !== undefined && isChanged(change, id, defaults.get(id))) barred.push(guard);
  return barred;
}

function isGiven({ set, files }: TaskChange, id: string): boolean {
  return set.has(id) || (files.get(id)?.length ?? 0) > 0;
}

function isChanged({ set, blank }: TaskChange, id: string, stored: Stored | undefined): boolean {
  if (blank.has(id)) return stored !== undefined;
  const wanted = set.get(id);
  return wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(stored);
}
