import { type EntityManager } from 'typeorm';
import { type FilePlan, nameFiles, planFiles } from './files/plan-files.js';
import { noTaskToMatch, requireMet } from './entity-tag.js';
import { TryAgain } from '../common/errors.js';
import { type FieldErrors, invalidField } from '../common/field-errors.js';
import { type LinkChange, referenceTo } from './links/find-links.js';
import { type LockedLinks, withLinksLocked, withoutLinks } from './links/lock-links.js';
import { altersLinks } from './links/plan-links.js';
import { replaceLinks } from './links/replace-links.js';
import { type ParsedTask } from '../workflows/fields/parse-task.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import {
  validateCreation,
  validateUnnamedUpdate,
  validateUpdate,
  validateValues,
} from '../workflows/fields/validate-task.js';
import { readLinked } from './store/linked-tasks.js';
import { isTaken } from './store/task-keys.js';
import { lockTask } from './store/task.repository.js';
import { type TaskRow } from './store/task-row.js';
import { insertTask, updateThisTask, type Written } from './store/upsert-task.js';
import {
  requireCreates,
  requireEdits,
  requireEditsOfLinked,
  requireMoves,
} from '../workflows/model/allowed.js';
import { noTask } from '../workflows/model/not-found.js';
import { type Scope } from '../workflows/model/scope.js';
import { nameIn, type ParsedWrite, type Write } from './write.js';

/** Locks the task and all tasks whose links change, validates the write, and executes it. */
export async function writeUnderLock(db: EntityManager, scope: Scope, write: ParsedWrite): Promise<Written> {
  const { parsed, linksOnlyFree } = write;
  const name = nameIn(write);
  const links = linkChanges(scope.workflow.schema, parsed.change).map((link) => ({ ...link, linksOnlyFree }));
  if (links.length > 0)
    return withLinksLocked(db, scope, await referenceTo(db, scope, name), links, (tx, locked) =>
      writeLocked(tx, scope, write, locked),
    );
  return db.transaction(async (tx) => {
    const task = name === null ? undefined : await lockTask(tx, scope, name);
    return writeLocked(tx, scope, write, withoutLinks(task));
  });
}

function linkChanges({ links }: TaskSchema, change: TaskChange): LinkChange[] {
  return [...change.links].flatMap(([side, references]) => {
    const link = links.get(side);
    return link
      ? [{ link, as: 'complete-set', guard: change.guards.get(side), locks: change.locks, references }]
      : [];
  });
}

async function writeLocked(
  tx: EntityManager,
  scope: Scope,
  write: ParsedWrite,
  { task, plan, errors, others }: LockedLinks,
): Promise<Written> {
  const files = await validateWrite(tx, scope, write, task, errors, others);
  if (task) await replaceLinks(tx, scope.workflow, task.id, plan);
  const written = task
    ? await updateThisTask(tx, scope.workflow, task.id, files.change, write.precondition, altersLinks(plan))
    : await insertTask(tx, scope, files.change, write.precondition);
  if (!written || written.isCreated === (task !== undefined))
    throw new TryAgain('others write the same task');
  if (!task) await replaceLinks(tx, scope.workflow, written.task.id, plan);
  await nameFiles(tx, scope.workflow, written.task.id, files);
  const isChanged = written.task.version !== task?.version;
  const isRead = !scope.bound && (task !== undefined || !altersLinks(plan));
  if (isRead || scope.workflow.schema.links.size === 0) return { ...written, isChanged };
  const linked = await readLinked(tx, scope, written.task.id);
  return { ...written, isChanged, task: { ...written.task, linked } };
}

/**
 * Throws if the write is refused. Throws errors in fields together with the `errors` of the caller. Returns
 * the plan for the attachments.
 */
export async function validateWrite(
  db: EntityManager,
  scope: Scope,
  write: ParsedWrite,
  task: TaskRow | undefined,
  errors: FieldErrors,
  linked: LockedLinks['others'] = [],
): Promise<FilePlan> {
  const { verb, parsed, precondition, uploaded } = write;
  if (scope.bound) await requireAllowed(db, scope, write, task);
  const writes = task !== undefined || verb === 'upsert';
  if (writes) requireEditsOfLinked(scope, linked);
  const files = planFiles(scope.workflow, parsed.change, task, uploaded);
  errors.addAll(validateFields(scope.workflow.schema, { ...parsed, change: files.change }, task, write));
  if (writes) errors.addAll(files.errors);
  errors.throwIfAny();
  if (task) requireMet(task, precondition);
  else if (precondition.mustExist) throw noTaskToMatch();
  else if (verb === 'update') throw noTask(scope.workflow, nameIn(write) ?? '');
  return files;
}

/** Throws if a user's role does not allow this creation or change. */
async function requireAllowed(
  db: EntityManager,
  scope: Scope,
  write: ParsedWrite,
  task: TaskRow | undefined,
): Promise<void> {
  const { stageId, uniqueValue } = write.parsed.change;
  const creates = !task && mayCreate(write);
  if (task) requireEdits(scope, task);
  if (creates) requireCreates(scope);
  const from = task?.stageId ?? scope.workflow.schema.stages.initial.id;
  if ((task !== undefined || creates) && stageId !== undefined && stageId !== from) requireMoves(scope, task);
  // The Unique ID may belong to a task that this user does not see.
  if (creates && uniqueValue != null && (await isTaken(db, scope.workflow, uniqueValue)))
    throw invalidField(scope.workflow.schema.uniqueId?.name ?? '', 'has already been taken');
}

function validateFields(
  schema: TaskSchema,
  parsed: ParsedTask,
  task: TaskView | undefined,
  write: Write,
): FieldErrors {
  if (task) return validateUpdate(schema, parsed, task);
  if (write.task) return validateValues(parsed);
  if (parsed.change.uniqueValue == null)
    return write.verb === 'upsert' ? validateCreation(schema, parsed) : validateUnnamedUpdate(schema, parsed);
  return mayCreate(write) ? validateCreation(schema, parsed) : validateValues(parsed);
}

const mayCreate = ({ verb, precondition }: Write): boolean => verb === 'upsert' && !precondition.mustExist;
