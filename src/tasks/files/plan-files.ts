import { type EntityManager } from 'typeorm';
import { TryAgain } from '../../common/errors.js';
import { FieldErrors } from '../../common/field-errors.js';
import {
  filesIn,
  newFilesOf,
  resolveFiles,
  withFileChanges,
  type TaskChange,
} from '../../workflows/fields/task-change.js';
import { type StoredFile } from '../../workflows/fields/file-value.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { type TaskRow } from '../store/task-row.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { nameBlobs, releaseBlobs, renameBlobs, type UploadedFile } from './blobs.repository.js';

export interface FilePlan {
  readonly change: TaskChange;
  /** The new files of the task. */
  readonly named: readonly UploadedFile[];
  /** The ids of the blobs to which the task will no longer refer. */
  readonly released: readonly string[];
  readonly renamed: readonly StoredFile[];
  readonly errors: FieldErrors;
}

/** Plans the changes of a task's attachments. Refuses blob ids that the task does not have. */
export function planFiles(
  { schema }: Workflow,
  change: TaskChange,
  task: Pick<TaskRow, 'fieldValues'> | undefined,
  uploaded: ReadonlyMap<string, UploadedFile>,
): FilePlan {
  // If a request has a stored answer, none of its files is uploaded. If the answer expires before this check,
  // `TryAgain` repeats the work, which then uploads the files.
  if (newFilesOf(change).some(({ key }) => !uploaded.has(key))) throw new TryAgain('a file was not uploaded');
  const errors = new FieldErrors();
  const planned = new Map<string, readonly StoredFile[]>();
  const released: string[] = [];
  const renamed: StoredFile[] = [];
  const stored = new Map([...uploaded].map(([key, { file }]) => [key, file]));
  const isNew = new Set(stored.values());
  for (const [field, elements] of change.files) {
    const held = filesIn(task?.fieldValues[field]);
    const files = resolveFiles(field, elements, held, stored);
    const kept = files.flatMap((file) => (file instanceof Invalid ? [] : [file]));
    const refused = files.find((file) => file instanceof Invalid);
    if (refused) errors.add(schema.files.get(field)?.name ?? '', refused.said);
    const ids = new Set(kept.map(({ blobId }) => blobId));
    released.push(...held.map(({ blobId }) => blobId).filter((id) => !ids.has(id)));
    renamed.push(...kept.filter((file) => !held.includes(file) && !isNew.has(file)));
    planned.set(field, kept);
  }
  const values = new Set([...planned.values()].flat());
  const named = [...uploaded.values()].filter(({ file }) => values.has(file));
  return { change: withFileChanges(change, planned), named, renamed, released, errors };
}

/** Assigns new blobs to the task, renames blobs, and releases those to which the task no longer refers. */
export async function nameFiles(
  tx: EntityManager,
  { workspaceId, id: workflowId }: Workflow,
  taskId: string,
  { named, renamed, released }: FilePlan,
): Promise<void> {
  await nameBlobs(tx, { workspaceId, workflowId, taskId }, named);
  await renameBlobs(tx, workspaceId, renamed);
  await releaseBlobs(tx, workspaceId, released);
}
