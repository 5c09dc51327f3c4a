import { newFilesOf, unchangedFiles } from '../../schema/file-changes.js';
import { Invalid } from '../../schema/invalid.js';
import { type JsonObject } from '../../schema/json.js';
import { canCreate } from '../../schema/judge-task.js';
import { type ParsedTask, parseTask } from '../../schema/parse-task.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { type RowChange } from '../../records/upsert-rows.js';

/** Reads a row's payload as that of a POST, but refuses files that bring bytes: a batch uploads nothing. */
export function parseRow(schema: TaskSchema, payload: JsonObject): ParsedTask {
  const { change, refused } = parseTask(schema, payload);
  const fields = new Set(newFilesOf(change).map(({ field }) => field));
  for (const field of fields) change.files.delete(field);
  const names = [...fields].map((field) => schema.files.get(field)?.name ?? '');
  const further = names.map((name) => ({
    name,
    input: payload.get(name) ?? null,
    reason: bringsBytes,
    property: undefined,
  }));
  return { change, refused: [...refused, ...further] };
}

const bringsBytes = new Invalid('takes files by blobId only in a batch');

/** The change as it can be written among others; undefined where that takes a look at its task first. */
export function rowChange(schema: TaskSchema, { change, refused }: ParsedTask): RowChange | undefined {
  const holds = unchangedFiles(change);
  if (refused.length > 0 || !holds) return undefined;
  const hasFiles = [...change.files.values()].some((files) => files.length > 0);
  // Numbered creations take their numbers one after another.
  const isNumbering = schema.uniqueId?.autoincrement === true;
  return { change, holds, mayCreate: !isNumbering && !hasFiles && canCreate(schema, change) };
}
