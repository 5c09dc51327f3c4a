import { type EntityManager } from 'typeorm';
import { requireMet } from '../http/current-tag.js';
import { notFound, TryAgain } from '../lib/errors.js';
import { FieldErrors } from '../lib/field-errors.js';
import { lockTask, updateThisTask } from '../task-store/task.repository.js';
import { noPrecondition, type Precondition, type TaskRow } from '../task-store/task-row.js';
import { filesIn, withFiles, newFilesOf, resolveFiles } from '../schema/file-changes.js';
import { judgeUpdate } from '../schema/validate-task.js';
import { type StoredFile, notOnTask } from '../schema/file-value.js';
import { emptyChange, type TaskChange } from '../schema/task-change.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Workflow } from '../workspace/workspace.js';
import { nameBlobs, releaseBlobs, type UploadedFile } from './blobs.repository.js';

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

/** What a payload's attachments make of a task. */
export interface SettledFiles {
  /** The change with the values of its file fields. */
  readonly change: TaskChange;
  /** The blobs that the task comes to name, and those that it no longer does. */
  readonly named: readonly UploadedFile[];
  readonly released: readonly string[];
  readonly errors: FieldErrors;
}

/** Finds out what the payload's attachments make of a locked task; what is not on it already is refused. */
export function settleFiles(
  { schema }: Workflow,
  change: TaskChange,
  task: Pick<TaskRow, 'fieldValues'> | undefined,
  uploaded: ReadonlyMap<string, UploadedFile>,
): SettledFiles {
  // Only an answer that was kept for as long as it may be can have been counted on in vain.
  if (newFilesOf(change).some(({ key }) => !uploaded.has(key))) throw new TryAgain('a file was not uploaded');
  const errors = new FieldErrors();
  const settled = new Map<string, readonly StoredFile[]>();
  const released: string[] = [];
  const stored = new Map([...uploaded].map(([key, { file }]) => [key, file]));
  for (const [field, elements] of change.files) {
    const held = filesIn(task?.fieldValues[field]);
    const files = resolveFiles(field, elements, held, stored);
    const kept = files.filter((file) => file !== undefined);
    if (kept.length < files.length) errors.add(schema.files.get(field)?.name ?? '', notOnTask.message);
    const ids = new Set(kept.map(({ blobId }) => blobId));
    released.push(...held.map(({ blobId }) => blobId).filter((id) => !ids.has(id)));
    settled.set(field, kept);
  }
  const values = new Set([...settled.values()].flat());
  const named = [...uploaded.values()].filter(({ file }) => values.has(file));
  return { change: withFiles(change, settled), named, released, errors };
}

/** Tells the blobs of the transaction's outcome: which of them the task names from now on. */
export async function nameFiles(
  tx: EntityManager,
  { workspaceId, id: workflowId }: Workflow,
  taskId: string,
  { named, released }: SettledFiles,
): Promise<void> {
  await nameBlobs(tx, { workspaceId, workflowId, taskId }, named);
  await releaseBlobs(tx, workspaceId, released);
}
