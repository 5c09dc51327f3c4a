import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type UploadedFile } from '../task-store/blobs.repository.js';
import { type FilePlan, nameFiles, planFiles } from '../attachments/plan-files.js';
import { Uploads } from '../attachments/uploads.js';
import { currentTag, noTaskToMatch, requireMet, entityTag } from '../http/etag.js';
import { idempotentRequest, type IdempotentRequest, isAnswered, once } from '../http/idempotency.js';
import { type TaskAnswer } from '../http/replies.js';
import { TryAgain } from '../lib/errors.js';
import { FieldErrors, invalidField } from '../lib/field-errors.js';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { pauses } from '../../packages/fair/turn.js';
import { type LinkChange, referenceTo } from '../links/find-links.js';
import { type LockedLinks, withLinksLocked, withoutLinks } from '../links/lock-links.js';
import { altersLinks, replaceLinks } from '../links/replace-links.js';
import { newFilesOf, unchangedFiles } from '../schema/file-changes.js';
import { type ParsedTask, parseTask } from '../schema/parse-task.js';
import { type TaskChange } from '../schema/task-change.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type TaskView } from '../schema/task-view.js';
import {
  canCreate,
  validateCreation,
  validateUnnamedUpdate,
  validateUpdate,
  validateValues,
} from '../schema/validate-task.js';
import { readLinked } from '../task-store/linked-tasks.js';
import { assertDefinition } from '../task-store/assert-definition.js';
import { findNamedTask, findTask, lockTask } from '../task-store/task.repository.js';
import {
  insertTask,
  updateTask,
  updateThisTask,
  upsertTask,
  type Written,
} from '../task-store/upsert-task.js';
import { isTaken } from '../task-store/task-keys.js';
import { type Precondition, type TaskRow } from '../task-store/task-row.js';
import { requireCreates, requireEdits, requireEditsOfLinked, requireMoves } from '../workspace/allowed.js';
import { type Unit, UnitOfWork } from '../workspace/unit-of-work.js';
import { noTask } from '../workspace/not-found.js';
import { type PublicName, type TaskName } from '../workspace/task-name.js';
import { type Workflow } from '../workspace/workspace.js';
import { isLong, textOf } from './list/task-text.js';
import { rowChange, writeTogether } from './write-together.js';
import { type RowChange } from '../task-store/bulk-upsert.js';
import { type Scope } from '../workspace/scope.js';

/** A POST or PUT of a task. */
export interface Write {
  readonly verb: 'upsert' | 'update';
  /** The task to update, if the payload does not name it. */
  readonly task?: PublicName | undefined;
  readonly payload: JsonObject;
  readonly precondition: Precondition;
  /** The key under which the request may be repeated. */
  readonly idempotencyKey?: string | undefined;
  readonly besides?: Besides | undefined;
  /** The tasks from which its links may take others, by their public ids; any where it is absent. */
  readonly holders?: readonly string[] | undefined;
}

/** Further changes in the transaction of a write, made after the task is written. */
export interface Besides {
  /** The requested changes: they tell this request from others with the same key. */
  readonly asked: Json;
  write(tx: EntityManager, scope: Scope, taskId: string): Promise<void>;
}

/** A write under one definition, with the new files that are stored already. */
export interface ParsedWrite extends Write {
  readonly parsed: ParsedTask;
  readonly uploaded: Map<string, UploadedFile>;
}

/** Creates and changes tasks: parses, fetches new files, writes and answers. */
@Injectable()
export class TaskWriter {
  constructor(
    private readonly work: UnitOfWork,
    private readonly uploads: Uploads,
  ) {}

  /** Handles a POST or PUT of a task, from its payload to its answer. */
  async write(scope: Scope, write: Write): Promise<TaskAnswer> {
    const { payload, besides } = write;
    const asked = { route: 'tasks', body: besides ? [payload, besides.asked] : payload };
    const request = idempotentRequest(scope, write.idempotencyKey, asked);
    return this.withUploads(scope.workflow, request, (uploaded) =>
      this.work.begin(scope, async (unit) => {
        const parsed = await parseTask(unit.scope.workflow.schema, write.payload, pauses(unit.scope));
        const understood = { ...write, parsed, uploaded };
        await this.fetchFiles(unit, understood, request);
        if (request ?? besides) return this.writeOnce(unit, understood, request);
        return answerOf(unit.db, unit.scope, await this.writePlain(unit, understood));
      }),
    );
  }

  /** Shows a task as it is, and as a write would make it; stores nothing, and refuses new files. */
  async rehearse(scope: Scope, write: Write): Promise<Rehearsal> {
    return this.work.begin(scope, (unit) =>
      unit.rehearse(async (tx) => {
        await assertDefinition(tx, unit.scope.workflow);
        const parsed = await parseTask(unit.scope.workflow.schema, write.payload, pauses(unit.scope));
        const [file] = newFilesOf(parsed.change);
        const { files } = unit.scope.workflow.schema;
        if (file) throw invalidField(files.get(file.field)?.name ?? '', 'cannot have new files in a dry run');
        const understood = { ...write, parsed, uploaded: new Map<string, UploadedFile>() };
        const name = nameIn(understood);
        const task = name === null ? undefined : await findNamedTask(tx, unit.scope, name);
        const before = task && (await inOnePiece(await answerOf(tx, unit.scope, { task, isCreated: false })));
        const written = await writeLocked(tx, unit.scope, understood);
        await write.besides?.write(tx, unit.scope, written.task.id);
        return { before, after: await inOnePiece(await answerOf(tx, unit.scope, written)) };
      }),
    );
  }

  /** Writes by one statement or transaction, or together with concurrent writes. */
  private writePlain({ scope, ...unit }: Unit, understood: ParsedWrite): Promise<Written> {
    const alone = (): Promise<Written> => unit.write((db) => writeTask(db, scope, understood));
    const row = rowAmongOthers(scope, understood);
    return row ? writeTogether(this.work, scope, row, alone) : alone();
  }

  /** Writes in one transaction; stores the answer under the request's key, or returns the stored one. */
  private async writeOnce(
    { scope, ...unit }: Unit,
    write: ParsedWrite,
    request: IdempotentRequest | undefined,
  ): Promise<TaskAnswer> {
    return unit.transaction((tx) =>
      once(tx, request, async () => {
        const written = await writeTask(tx, scope, write);
        await write.besides?.write(tx, scope, written.task.id);
        return inOnePiece(await answerOf(tx, scope, written));
      }),
    );
  }

  /** Removes the files that the work has stored if no task names them afterwards. */
  private async withUploads<T>(
    { workspaceId }: Workflow,
    request: IdempotentRequest | undefined,
    work: (uploaded: Map<string, UploadedFile>) => Promise<T>,
  ): Promise<T> {
    const uploaded = new Map<string, UploadedFile>();
    const drop = (): Promise<void> =>
      this.uploads.drop(
        workspaceId,
        [...uploaded.values()].map(({ file }) => file.blobId),
      );
    try {
      const result = await work(uploaded);
      // A repeated request that ran at the same time as the first has stored files without a task.
      if (request) await drop();
      return result;
    } catch (error) {
      await drop();
      throw error;
    }
  }

  /** Stores the new files of the payload, unless the write is known to be refused. */
  private async fetchFiles(
    { scope, db }: Unit,
    write: ParsedWrite,
    request: IdempotentRequest | undefined,
  ): Promise<void> {
    const { change } = write.parsed;
    if (newFilesOf(change).length === 0) return;
    this.uploads.requireSizes(change);
    if (request && (await isAnswered(db, request))) return;
    await validateBeforehand(db, scope, write);
    await this.uploads.storeNew(scope, change, write.uploaded);
  }
}

/** A task as an answer would show it, before and after a write. */
export interface Rehearsal {
  readonly before: WholeAnswer | undefined;
  readonly after: WholeAnswer;
}

/** The name of the task to write; null if it has none. */
const nameIn = ({ task, parsed }: ParsedWrite): TaskName | null => task ?? parsed.change.uniqueValue ?? null;

/** Throws if the write is refused for reasons known before any file is stored. */
async function validateBeforehand(db: EntityManager, scope: Scope, write: ParsedWrite): Promise<void> {
  const { change } = write.parsed;
  const { uniqueValue } = change;
  const task = uniqueValue == null ? undefined : await findTask(db, scope, uniqueValue);
  const uploaded = new Map(newFilesOf(change).map(({ key }) => [key, notYetUploaded]));
  await validate(db, scope, { ...write, uploaded }, task, new FieldErrors());
}

const notYetUploaded: UploadedFile = {
  file: { blobId: '', filename: '', contentType: '' },
  size: 0,
  sha256: Buffer.alloc(0),
};

/** Writes a task: by one statement, if the payload alone shows that this is allowed. */
export async function writeTask(db: EntityManager, scope: Scope, write: ParsedWrite): Promise<Written> {
  return (await writeAtOnce(db, scope, write)) ?? writeLocked(db, scope, write);
}

/** Whether the write names one task by Unique ID, if any, and no role has to be checked on the locked row. */
function isPlain(scope: Scope, { task, precondition, parsed }: ParsedWrite): boolean {
  const isBound = scope.bound !== undefined;
  return (
    !isBound && task === undefined && precondition.excluded === undefined && parsed.change.links.size === 0
  );
}

/** This write as a row of a shared statement; undefined if it depends on the locked row. */
function rowAmongOthers(scope: Scope, write: ParsedWrite): RowChange | undefined {
  if (!isPlain(scope, write)) return undefined;
  const row = rowChange(scope.workflow.schema, write.parsed, write.precondition);
  const mayCreate = row?.mayCreate === true && write.verb === 'upsert';
  return row && (mayCreate || row.change.uniqueValue != null) ? { ...row, mayCreate } : undefined;
}

/** Handles the common case by one statement; undefined if it depends on the locked row. */
async function writeAtOnce(
  db: EntityManager,
  scope: Scope,
  write: ParsedWrite,
): Promise<Written | undefined> {
  const {
    verb,
    precondition,
    parsed: { change, refused },
  } = write;
  const holds = unchangedFiles(change);
  if (!isPlain(scope, write) || refused.length > 0 || !holds) return undefined;
  const { schema } = scope.workflow;
  const isNamed = change.uniqueValue != null;
  const hasFiles = [...change.files.values()].some((files) => files.length > 0);
  const mayCreate = verb === 'upsert' && !precondition.mustExist && !hasFiles && canCreate(schema, change);
  if (!isNamed) return mayCreate ? insertTask(db, scope, change, precondition) : undefined;
  // Numbered creations wait for a common counter; most writes change a task, so an update is tried first.
  const mayUpdate = !mayCreate || schema.uniqueId?.autoincrement === true;
  const demands = { ...precondition, holds };
  const updated = mayUpdate ? await updateTask(db, scope, change, demands) : undefined;
  return updated ?? (mayCreate ? upsertTask(db, scope, change, demands) : undefined);
}

/** Locks everything that the payload touches, validates against it, and writes. */
export async function writeLocked(db: EntityManager, scope: Scope, write: ParsedWrite): Promise<Written> {
  const { parsed, holders } = write;
  const name = nameIn(write);
  const links = linkChanges(scope.workflow.schema, parsed.change).map((link) => ({ ...link, holders }));
  if (links.length > 0)
    return withLinksLocked(db, scope, await referenceTo(db, scope, name), links, (tx, locked) =>
      writeUnderLocks(tx, scope, write, locked),
    );
  return db.transaction(async (tx) => {
    const task = name === null ? undefined : await lockTask(tx, scope, name);
    return writeUnderLocks(tx, scope, write, withoutLinks(task));
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

async function writeUnderLocks(
  tx: EntityManager,
  scope: Scope,
  write: ParsedWrite,
  { task, plan, errors, others }: LockedLinks,
): Promise<Written> {
  const files = await validate(tx, scope, write, task, errors, others);
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

/** Throws all errors of the write, including these; returns the plan for its attachments. */
async function validate(
  db: EntityManager,
  scope: Scope,
  write: ParsedWrite,
  task: TaskRow | undefined,
  errors: FieldErrors,
  linked: LockedLinks['others'] = [],
): Promise<FilePlan> {
  const { verb, parsed, precondition, uploaded } = write;
  if (scope.bound) await requireAllowed(db, scope, write, task);
  if (task ?? verb === 'upsert') requireEditsOfLinked(scope, linked);
  const files = planFiles(scope.workflow, parsed.change, task, uploaded);
  errors.addAll(validateFields(scope.workflow.schema, { ...parsed, change: files.change }, task, write));
  if (task ?? verb === 'upsert') errors.addAll(files.errors);
  errors.throwIfAny();
  if (task) await requireMet(db, scope, task, precondition);
  else if (precondition.mustExist) throw noTaskToMatch(precondition);
  else if (verb === 'update') throw noTask(scope.workflow, nameIn(write) ?? '');
  return files;
}

/** Throws if a user's role does not allow this creation or change. */
async function requireAllowed(
  db: EntityManager,
  scope: Scope,
  { verb, precondition, parsed }: ParsedWrite,
  task: TaskRow | undefined,
): Promise<void> {
  const { stageId, uniqueValue } = parsed.change;
  const creates = !task && verb === 'upsert' && !precondition.mustExist;
  if (task) requireEdits(scope, task);
  if (creates) requireCreates(scope);
  const from = task?.stageId ?? scope.workflow.schema.stages.initial.id;
  if ((task ?? creates) && stageId !== undefined && stageId !== from) requireMoves(scope, task);
  // A task that this user does not see may have the Unique ID.
  if (creates && uniqueValue != null && (await isTaken(db, scope.workflow, uniqueValue)))
    throw invalidField(scope.workflow.schema.uniqueId?.name ?? '', 'has already been taken');
}

function validateFields(
  schema: TaskSchema,
  parsed: ParsedTask,
  task: TaskView | undefined,
  { verb, task: named, precondition }: Write,
): FieldErrors {
  if (task) return validateUpdate(schema, parsed, task);
  if (named) return validateValues(parsed);
  if (parsed.change.uniqueValue == null)
    return verb === 'upsert' ? validateCreation(schema, parsed) : validateUnnamedUpdate(schema, parsed);
  return verb === 'upsert' && !precondition.mustExist
    ? validateCreation(schema, parsed)
    : validateValues(parsed);
}

/** A task as an answer shows it. */
export async function answerOf(
  db: EntityManager,
  scope: Scope,
  { task, isCreated }: Pick<Written, 'task' | 'isCreated'>,
): Promise<TaskAnswer> {
  const tag = isLong(task) ? await currentTag(db, scope, task) : entityTag(scope.workflow, task);
  const { publicId, uniqueValue: uniqueId } = task;
  return { json: textOf(db, scope, scope.workflow.schema, task), tag, isCreated, publicId, uniqueId };
}

interface WholeAnswer extends TaskAnswer {
  readonly json: string;
}

/** An answer that can be stored. */
export async function inOnePiece(answer: TaskAnswer): Promise<WholeAnswer> {
  const pieces: string[] = [];
  const { json } = answer;
  if (typeof json === 'string') return { ...answer, json };
  for await (const piece of json) pieces.push(piece);
  return { ...answer, json: pieces.join('') };
}
