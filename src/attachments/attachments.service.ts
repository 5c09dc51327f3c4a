import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type EntityManager } from 'typeorm';
import { requireMet } from '../tasks/entity-tag.js';
import { CONFIG, type Config } from '../config.js';
import { TryAgain } from '../common/errors.js';
import { invalidField } from '../common/field-errors.js';
import { type RepeatableRequest, idempotentRequest, isUsed, once } from '../common/http/idempotency.js';
import { findNamedTask, lockTask } from '../tasks/store/task.repository.js';
import { changeThisTask } from '../tasks/store/upsert-task.js';
import { type Precondition, type TaskRow } from '../tasks/store/task-row.js';
import { filesIn, withFileChanges, emptyChange, type TaskChange } from '../workflows/fields/task-change.js';
import { checkFilename } from '../workflows/fields/file-value.js';
import { validateUpdate } from '../workflows/fields/validate-task.js';
import { Invalid } from '../workflows/fields/invalid.js';
import { requireEdits } from '../workflows/model/allowed.js';
import { noAttachment, noFileField, noTask } from '../workflows/model/not-found.js';
import { type TaskName, textOfName } from '../workflows/model/task-name.js';
import { requireUniqueId, type Workflow } from '../workflows/model/workspace.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type AttachmentDto } from './attachment.dto.js';
import { nameBlobs, releaseBlobs, type UploadedFile } from '../tasks/files/blobs.repository.js';
import { receiveFile } from './receive-file.js';
import { type Upload, Uploads } from '../tasks/files/uploads.js';
import { notYetUploaded } from '../tasks/write-task.js';
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

  /** Adds a file from a `multipart/form-data` request; streams its bytes to the store. */
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
          return added.file;
        }),
      );
    } finally {
      // If the request was refused or repeats an earlier one, no task refers to `added`.
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

  /** Throws if the file cannot be added. For a used key, does not throw: the request may be a repetition. */
  private async requireRoom(scope: Scope, path: AttachmentPath, key: string | undefined): Promise<void> {
    const judging = this.work.read(scope, async (db, current) => requireRoomIn(db, current, path));
    await judging.catch(async (error: unknown) => {
      if (key === undefined || !(await isUsed(this.work.db(scope), scope.workspaceId, key))) throw error;
    });
  }
}

async function requireRoomIn(db: EntityManager, scope: Scope, path: AttachmentPath): Promise<void> {
  const place = placeOf(scope.workflow, path);
  const task = await findNamedTask(db, scope, path.task);
  allowedChange(scope, place, task, { added: notYetUploaded });
}

interface FilePlace extends AttachmentPath {
  readonly fieldId: string;
  readonly limit: number;
}

interface FilesEdit {
  readonly added?: UploadedFile;
  /** The blob id of the attachment to remove. */
  readonly removed?: string;
}

/** Adds or removes an attachment; the task is locked until the transaction ends. */
async function changeFiles(
  tx: EntityManager,
  scope: Scope,
  place: FilePlace,
  edit: FilesEdit,
  precondition: Precondition,
): Promise<void> {
  const { workspaceId, workflow } = scope;
  const { task, change } = allowedChange(scope, place, await lockTask(tx, scope, place.task), edit);
  requireMet(task, precondition);
  if (!(await changeThisTask(tx, workflow, task.id, change))) throw new TryAgain('a locked task is gone');
  const { added, removed } = edit;
  if (added) await nameBlobs(tx, { workspaceId, workflowId: workflow.id, taskId: task.id }, [added]);
  if (removed !== undefined) await releaseBlobs(tx, workspaceId, [removed]);
}

/** Returns the task and its change; throws if the change is impossible or not allowed. */
function allowedChange(
  scope: Scope,
  { task: name, field, fieldId, limit }: FilePlace,
  task: TaskRow | undefined,
  { added, removed }: FilesEdit,
): { readonly task: TaskRow; readonly change: TaskChange } {
  const { schema } = scope.workflow;
  if (!task) throw noTask(scope.workflow, name);
  requireEdits(scope, task);
  const held = filesIn(task.fieldValues[fieldId]);
  const kept = held.filter(({ blobId }) => blobId !== removed);
  if (removed !== undefined && kept.length === held.length)
    throw noAttachment({ task: name, field }, removed);
  const files = added ? [...kept, added.file] : kept;
  const change = withFileChanges(emptyChange(schema, 'payload'), new Map([[fieldId, files]]));
  const errors = validateUpdate(schema, { change, refused: [] }, task);
  if (added && held.length >= limit) errors.add(field, say`holds more than ${limit} files`);
  errors.throwIfAny();
  return { task, change };
}

/** Looks up the field; throws 404 if no file field has this name. */
function placeOf(workflow: Workflow, { task, field }: AttachmentPath): FilePlace {
  requireUniqueId(workflow, task);
  for (const [fieldId, { name, limit }] of workflow.schema.files)
    if (name === field) return { task, field, fieldId, limit };
  throw noFileField(workflow, field);
}

function uploadOf(field: string, file: Upload): Upload {
  const name = checkFilename(file.filename);
  if (name instanceof Invalid) throw invalidField(field, say`has a filename that ${sentence(name.said)}`);
  return { ...file, filename: name };
}

/** Describes an upload. A repeated upload has the same task, field, filename, media type and bytes. */
function askedBy({ task, field }: AttachmentPath, { file, sha256 }: UploadedFile): RepeatableRequest {
  const body = [file.filename, file.contentType, sha256.toString('hex')];
  return { route: 'attachments', path: [textOfName(task), field], body };
}
