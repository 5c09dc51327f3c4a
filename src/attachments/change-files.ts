import { type EntityManager } from 'typeorm';
import { requireMet } from '../answers/current-tag.js';
import { notFound, TryAgain } from '../errors/errors.js';
import { FieldErrors } from '../errors/field-errors.js';
import { lockTask } from '../records/find-task.js';
import { noPrecondition, type Precondition } from '../records/precondition.js';
import { type TaskRow } from '../records/task-row.js';
import { updateThisTask } from '../records/write-task.js';
import { filesIn, withFiles } from '../schema/file-changes.js';
import { judgeUpdate } from '../schema/judge-task.js';
import { type StoredFile } from '../schema/stored-file.js';
import { emptyChange } from '../schema/task-change.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Workflow } from '../workflows/workspace.js';
import { nameBlobs, releaseBlobs, type UploadedFile } from './blobs.js';

/** A file field of a task. */
export interface FilePlace {
  readonly uniqueId: string;
  readonly fieldId: string;
}

/** What becomes of the attachments of a field. */
export interface FilesEdit {
  readonly added?: UploadedFile;
  /** The blob id of one that goes; 404 where it is not there. */
  readonly removed?: string;
}

/** Adds an attachment to a field of a task, or takes one away; the task is locked until the transaction ends. */
export async function changeFiles(
  tx: EntityManager,
  workflow: Workflow,
  { uniqueId, fieldId }: FilePlace,
  { added, removed }: FilesEdit,
  precondition: Precondition,
): Promise<void> {
  const task = await lockTask(tx, workflow, uniqueId);
  if (!task) throw notFound();
  const held = filesIn(task.fieldValues[fieldId]);
  if (removed !== undefined && !held.some(({ blobId }) => blobId === removed)) throw notFound();
  if (added) judgeAddition(workflow.schema, fieldId, task).throwIfAny();
  const files: StoredFile[] = [
    ...held.filter(({ blobId }) => blobId !== removed),
    ...(added ? [added.file] : []),
  ];
  const change = withFiles(emptyChange(), new Map([[fieldId, files]]));
  judgeUpdate(workflow.schema, { change, refused: [] }, task).throwIfAny();
  await requireMet(tx, workflow, task, precondition);
  if (!(await updateThisTask(tx, workflow, task.id, change, noPrecondition)))
    throw new TryAgain('a locked task is gone');
  const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id, taskId: task.id };
  await nameBlobs(tx, place, added ? [added] : []);
  await releaseBlobs(tx, workflow.workspaceId, removed === undefined ? [] : [removed]);
}

/** Why a field of this task cannot take one more attachment. */
export function judgeAddition(
  { files, frozen }: TaskSchema,
  fieldId: string,
  { fieldValues }: Pick<TaskRow, 'fieldValues'>,
): FieldErrors {
  const errors = new FieldErrors();
  const { name, limit } = files.get(fieldId) ?? { name: '', limit: 0 };
  if (frozen.has(fieldId)) errors.add(name, 'cannot be changed after creation');
  if (filesIn(fieldValues[fieldId]).length >= limit) errors.add(name, `holds more than ${limit} files`);
  return errors;
}
