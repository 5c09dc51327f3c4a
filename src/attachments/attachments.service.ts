import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type EntityManager } from 'typeorm';
import { requireMet } from '../tasks/entity-tag.js';
import { CONFIG, type Config } from '../config.js';
import { TryAgain } from '../common/errors.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { type RepeatableRequest, idempotentRequest, isUsed, once } from '../common/http/idempotency.js';
import { findNamedTask, lockTask } from '../tasks/store/task.repository.js';
import { changeThisTask } from '../tasks/store/upsert-task.js';
import { type Precondition, type TaskRow } from '../tasks/store/task-row.js';
import { filesIn, withFileChanges, emptyChange } from '../workflows/fields/task-change.js';
import { checkFilename, type StoredFile } from '../workflows/fields/file-value.js';
import { validateUpdate } from '../workflows/fields/validate-task.js';
import { lockedIn } from '../workflows/fields/protection.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { Invalid } from '../workflows/fields/invalid.js';
import { requireEdits } from '../workflows/model/allowed.js';
import { noAttachment, noFileField, noTask } from '../workflows/model/not-found.js';
import { type TaskName, textOfName } from '../workflows/model/task-name.js';
import { requireUniqueId, type Workflow } from '../workflows/model/workspace.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { AttachmentDto } from './attachment.dto.js';
import { nameBlobs, releaseBlobs, type UploadedFile } from '../tasks/files/blobs.repository.js';
import { type ArrivingFile, receiveFile } from './receive-file.js';
import { type Upload, Uploads } from '../tasks/files/uploads.js';
import { type Scope } from '../workflows/model/scope.js';
import { say, sentence } from '../common/message.js';

export interface AttachmentPath {
  readonly task: TaskName;
  readonly field: string;
}

export interface AddOptions {
  readonly precondition: Precondition;
  readonly idempotencyKey: string | undefined;
}

@Injectable()
export class AttachmentsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly uploads: Uploads,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Adds a file from a `multipart/form-data` request, and streams its bytes to the store. */
  async add(
    scope: Scope,
    path: AttachmentPath,
    { precondition, idempotencyKey }: AddOptions,
    request: Request,
  ): Promise<AttachmentDto> {
    const { workspaceId } = scope;
    await this.requireRoom(scope, path, idempotencyKey);
    const added = await receiveFile(request, this.config.maxFileBytes, {
      store: async (file) => this.uploads.put(workspaceId, uploadOf(path.field, file)),
      drop: (file) => this.uploads.dropUnnamed(workspaceId, [file]),
    });
    const asked = idempotentRequest(scope, idempotencyKey, askedBy(path, added));
    try {
      return await this.work.transaction(scope, (tx, current) =>
        once(tx, asked, async () => {
          await changeFiles(tx, current, placeOf(current.workflow, path), { added }, precondition);
          return new AttachmentDto(added.file);
        }),
      );
    } finally {
      // A repeated request gets the first answer, which names another blob.
      await this.uploads.dropUnnamed(workspaceId, [added]);
    }
  }

  async remove(
    scope: Scope,
    path: AttachmentPath,
    blobId: string,
    precondition: Precondition,
  ): Promise<void> {
    await this.work.transaction(scope, (tx, current) =>
      changeFiles(tx, current, placeOf(current.workflow, path), { removed: blobId }, precondition),
    );
  }

  /** Throws if the field is full, unless the key has an answer: its first request may just have filled the field. */
  private async requireRoom(scope: Scope, path: AttachmentPath, key: string | undefined): Promise<void> {
    const judging = this.work.read(scope, async (db, current) => requireRoomIn(db, current, path));
    await judging.catch(async (error: unknown) => {
      if (key === undefined || !(await isUsed(this.work.db(scope), scope.workspaceId, key))) throw error;
    });
  }
}

async function requireRoomIn(db: EntityManager, scope: Scope, path: AttachmentPath): Promise<void> {
  const { fieldId } = placeOf(scope.workflow, path);
  const task = await findNamedTask(db, scope, path.task);
  if (!task) throw noTask(scope.workflow, path.task);
  requireEdits(scope, task);
  validateAddition(scope.workflow.schema, fieldId, task).throwIfAny();
}

interface FilePlace extends AttachmentPath {
  readonly fieldId: string;
}

interface FilesEdit {
  readonly added?: UploadedFile;
  /** The blob id of the attachment to remove; 404 if it does not exist. */
  readonly removed?: string;
}

/** Adds or removes an attachment; the task is locked until the transaction ends. */
async function changeFiles(
  tx: EntityManager,
  scope: Scope,
  { task: name, field, fieldId }: FilePlace,
  { added, removed }: FilesEdit,
  precondition: Precondition,
): Promise<void> {
  const task = await lockTask(tx, scope, name);
  if (!task) throw noTask(scope.workflow, name);
  requireEdits(scope, task);
  const held = filesIn(task.fieldValues[fieldId]);
  if (removed !== undefined && !held.some(({ blobId }) => blobId === removed))
    throw noAttachment({ task: name, field }, removed);
  if (added) validateAddition(scope.workflow.schema, fieldId, task).throwIfAny();
  const files: StoredFile[] = [
    ...held.filter(({ blobId }) => blobId !== removed),
    ...(added ? [added.file] : []),
  ];
  const change = withFileChanges(emptyChange(scope.workflow.schema, 'payload'), new Map([[fieldId, files]]));
  validateUpdate(scope.workflow.schema, { change, refused: [] }, task).throwIfAny();
  requireMet(task, precondition);
  if (!(await changeThisTask(tx, scope.workflow, task.id, change)))
    throw new TryAgain('a locked task is gone');
  const place = { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId: task.id };
  await nameBlobs(tx, place, added ? [added] : []);
  await releaseBlobs(tx, scope.workspaceId, removed === undefined ? [] : [removed]);
}

function validateAddition(
  { files, guards, locks }: TaskSchema,
  fieldId: string,
  { stageId, fieldValues }: Pick<TaskRow, 'stageId' | 'fieldValues'>,
): FieldErrors {
  const errors = new FieldErrors();
  const { name, limit } = files.get(fieldId) ?? { name: '', limit: 0 };
  const guard = guards.payload.get(fieldId);
  const lock = locks.own.get(stageId);
  if (guard) errors.add(name, guard.changing);
  else if (lock?.barred.has(fieldId)) errors.add(name, lockedIn(lock));
  if (filesIn(fieldValues[fieldId]).length >= limit) errors.add(name, say`holds more than ${limit} files`);
  return errors;
}

/** Looks up the field; 404 if there is no file field with this name. */
function placeOf(workflow: Workflow, { task, field }: AttachmentPath): FilePlace {
  requireUniqueId(workflow, task);
  for (const [fieldId, { name }] of workflow.schema.files)
    if (name === field) return { task, field, fieldId };
  throw noFileField(workflow, field);
}

function uploadOf(field: string, { filename, contentType, bytes }: ArrivingFile): Upload {
  const name = checkFilename(filename);
  if (name instanceof Invalid) throw invalidField(field, say`has a filename that ${sentence(name.said)}`);
  return { filename: name, contentType, bytes };
}

/** Two uploads are the same request if the field, the file's name and its bytes are equal. */
function askedBy({ task, field }: AttachmentPath, { file, sha256 }: UploadedFile): RepeatableRequest {
  const body = [file.filename, file.contentType, sha256.toString('hex')];
  return { route: 'attachments', path: [textOfName(task), field], body };
}
