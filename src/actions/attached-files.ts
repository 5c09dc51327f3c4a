import { filesIn } from '../workflows/fields/file-changes.js';
import { type StoredFile } from '../workflows/fields/file-value.js';
import { storageOf } from '../workflows/fields/field-types.js';
import { sizeOfBlobs } from '../tasks/store/blobs.repository.js';
import { type Report, type WorkflowScope } from '../workflows/model/check/kit.js';
import { say } from '../common/message.js';
import { type Run, StepFailed } from './step.js';

/** The limit for all attachments of a mail in bytes; most mail servers accept no more. */
const MAX_BYTES = 10 * 2 ** 20;

/** Reports fields of attachments that hold no files. */
export function checkAttached(names: readonly string[], scope: WorkflowScope, report: Report): void {
  names.forEach((name, index) => {
    const field = scope.fields.get(name);
    if (field && storageOf(field.type) !== 'blobs') report(names, index, `is not a file field: ${name}`);
  });
}

/** The files in these fields of the task; throws if they are too large. */
export async function attachedFiles(names: readonly string[], run: Run): Promise<StoredFile[]> {
  const { scope, task } = run.context;
  const { byName } = scope.workflow.schema;
  const files = names.flatMap((name) => filesIn(task.fieldValues[byName.get(name)?.fieldId ?? '']));
  if (files.length === 0) return [];
  const ids = files.map(({ blobId }) => blobId);
  const bytes = await sizeOfBlobs(run.reads, scope.workspaceId, ids);
  if (bytes > MAX_BYTES)
    throw new StepFailed(say`attachments are ${Math.ceil(bytes / 2 ** 20)} MB, 10 MB at most`);
  return files;
}
