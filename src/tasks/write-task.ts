import { type EntityManager } from 'typeorm';
import { requireMet } from '../http/current-tag.js';
import { type UploadedFile } from '../attachments/blobs.repository.js';
import { nameFiles, type SettledFiles, settleFiles } from '../attachments/change-attachments.js';
import { notFound, preconditionFailed, TryAgain } from '../lib/errors.js';
import { FieldErrors } from '../lib/field-errors.js';
import { type LinkChange } from '../links/link-change.js';
import { type LockedLinks, withLinksLocked, withoutLinks } from '../links/lock-links.js';
import { altersLinks, replaceLinks } from '../links/replace-links.js';
import {
  findTask,
  lockTask,
  insertTask,
  updateTask,
  updateThisTask,
  upsertTask,
  type Written,
  deleteLockedTask,
  deleteUnlinkedTask,
} from '../task-store/task.repository.js';
import { readLinked } from '../task-store/linked-tasks.js';
import { type Precondition, type TaskRow } from '../task-store/task-row.js';
import { newFilesOf, unchangedFiles } from '../schema/file-changes.js';
import { type JsonObject } from '../lib/json/json.js';
import {
  canCreate,
  judgeCreation,
  judgeUnnamedUpdate,
  judgeUpdate,
  judgeValues,
} from '../schema/validate-task.js';
import { type ParsedTask } from '../schema/parse-task.js';
import { type TaskChange } from '../schema/task-change.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workspace/workspace.js';

/** A POST or PUT of a task. */
export interface Write {
  readonly verb: 'upsert' | 'update';
  readonly payload: JsonObject;
  readonly precondition: Precondition;
  /** The key under which the request may come again. */
  readonly idempotencyKey?: string | undefined;
}

/** A write as one definition understands it, its new attachments in the store. */
export interface ReadyWrite extends Write {
  readonly parsed: ParsedTask;
  readonly uploaded: ReadonlyMap<string, UploadedFile>;
}

/** Carries out a write: by one statement where the payload alone tells that it may. */
export async function writeTask(db: EntityManager, workflow: Workflow, write: ReadyWrite): Promise<Written> {
  return (await writeAtOnce(db, workflow, write)) ?? writeLocked(db, workflow, write);
}

/** The common case, in one statement; undefined when it takes locks to tell. */
async function writeAtOnce(
  db: EntityManager,
  workflow: Workflow,
  { verb, precondition, parsed: { change, refused } }: ReadyWrite,
): Promise<Written | undefined> {
  const holds = unchangedFiles(change);
  if (refused.length > 0 || change.links.size > 0 || precondition.excluded !== undefined || !holds)
    return undefined;
  const { schema } = workflow;
  const isNamed = change.uniqueValue != null;
  const hasFiles = [...change.files.values()].some((files) => files.length > 0);
  const mayCreate = verb === 'upsert' && !precondition.mustExist && !hasFiles && canCreate(schema, change);
  if (!isNamed) return mayCreate ? insertTask(db, workflow, change, precondition) : undefined;
  // Numbered creations stand in line at one counter; most writes are no creations and need not.
  const mayUpdate = !mayCreate || schema.uniqueId?.autoincrement === true;
  const demands = { ...precondition, holds };
  const updated = mayUpdate ? await updateTask(db, workflow, change, demands) : undefined;
  return updated ?? (mayCreate ? upsertTask(db, workflow, change, demands) : undefined);
}

/** What was written under the task's lock, and whether that made a new version. */
export interface WrittenLocked extends Written {
  readonly isChanged: boolean;
}

/** Finds out under the locks of all that it touches what the payload may do, and does that. */
export async function writeLocked(
  db: EntityManager,
  workflow: Workflow,
  write: ReadyWrite,
): Promise<WrittenLocked> {
  const { change } = write.parsed;
  const uniqueId = change.uniqueValue ?? null;
  const links = linkChanges(workflow.schema, change);
  if (links.length > 0)
    return withLinksLocked(db, workflow, { uniqueId }, links, (tx, locked) =>
      carryOut(tx, workflow, write, locked),
    );
  return db.transaction(async (tx) => {
    const task = uniqueId === null ? undefined : await lockTask(tx, workflow, uniqueId);
    return carryOut(tx, workflow, write, withoutLinks(task));
  });
}

function linkChanges({ links }: TaskSchema, change: TaskChange): LinkChange[] {
  return [...change.links].flatMap(([side, references]) => {
    const link = links.get(side);
    return link ? [{ link, as: 'complete-set', references }] : [];
  });
}

async function carryOut(
  tx: EntityManager,
  workflow: Workflow,
  write: ReadyWrite,
  { task, plan, errors }: LockedLinks,
): Promise<WrittenLocked> {
  const files = await judge(tx, workflow, write, task, errors);
  if (task) await replaceLinks(tx, workflow, task.id, plan);
  const written = task
    ? await updateThisTask(tx, workflow, task.id, files.change, write.precondition, altersLinks(plan))
    : await insertTask(tx, workflow, files.change, write.precondition);
  if (!written || written.isCreated === (task !== undefined))
    throw new TryAgain('others write the same task');
  if (!task) await replaceLinks(tx, workflow, written.task.id, plan);
  await nameFiles(tx, workflow, written.task.id, files);
  const isChanged = written.task.version !== task?.version;
  if (task ?? !altersLinks(plan)) return { ...written, isChanged };
  const linked = await readLinked(tx, workflow, written.task.id);
  return { ...written, isChanged, task: { ...written.task, linked } };
}

/** Throws when it is clear already that the write is refused, before anybody goes to the trouble of storing files. */
export async function judgeBeforehand(
  db: EntityManager,
  workflow: Workflow,
  write: ReadyWrite,
): Promise<void> {
  const { change } = write.parsed;
  const { uniqueValue } = change;
  const task = uniqueValue == null ? undefined : await findTask(db, workflow, uniqueValue);
  const uploaded = new Map(newFilesOf(change).map(({ key }) => [key, notYetUploaded]));
  await judge(db, workflow, { ...write, uploaded }, task, new FieldErrors());
}

const notYetUploaded: UploadedFile = {
  file: { blobId: '', filename: '', contentType: '' },
  size: 0,
  sha256: Buffer.alloc(0),
};

/** Throws when the write may not be, with these errors and all others; says what becomes of its attachments. */
async function judge(
  db: EntityManager,
  workflow: Workflow,
  write: ReadyWrite,
  task: TaskRow | undefined,
  errors: FieldErrors,
): Promise<SettledFiles> {
  const { verb, parsed, precondition, uploaded } = write;
  const files = settleFiles(workflow, parsed.change, task, uploaded);
  errors.addAll(judgeFields(workflow.schema, { ...parsed, change: files.change }, task, write));
  if (task ?? verb === 'upsert') errors.addAll(files.errors);
  errors.throwIfAny();
  if (task) await requireMet(db, workflow, task, precondition);
  else if (precondition.mustExist) throw preconditionFailed();
  else if (verb === 'update') throw notFound();
  return files;
}

function judgeFields(
  schema: TaskSchema,
  parsed: ParsedTask,
  task: TaskView | undefined,
  { verb, precondition }: Write,
): FieldErrors {
  if (task) return judgeUpdate(schema, parsed, task);
  if (parsed.change.uniqueValue == null)
    return verb === 'upsert' ? judgeCreation(schema, parsed) : judgeUnnamedUpdate(schema, parsed);
  return verb === 'upsert' && !precondition.mustExist ? judgeCreation(schema, parsed) : judgeValues(parsed);
}

/** Deletes a task for good, with its links and attachments: by one statement where it has no links. */
export async function deleteTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  precondition: Precondition,
): Promise<void> {
  const isPlain = precondition.excluded === undefined;
  if (isPlain && (await deleteUnlinkedTask(db, workflow, uniqueId, precondition))) return;
  const unlinked = [...workflow.schema.links.values()].map((link): LinkChange => ({
    link,
    as: 'complete-set',
    references: [],
  }));
  await withLinksLocked(db, workflow, { uniqueId }, unlinked, async (tx, { task, plan }) => {
    if (!task) throw precondition.mustExist ? preconditionFailed() : notFound();
    await requireMet(tx, workflow, task, precondition);
    await replaceLinks(tx, workflow, task.id, plan);
    await deleteLockedTask(tx, workflow, task.id);
  });
}
