import { FieldErrors } from '../../common/field-errors.js';
import { nearNameMeant } from '../../common/did-you-mean.js';
import { hinted } from '../../common/message.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { emptyChange } from '../../workflows/fields/task-change.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';

/** Whether a row of a batch asks for its task to be deleted. */
export const isDeletion = (content: JsonObject): boolean => content.has('_delete');

/** The task that such a row names, and the row's faults. */
export interface RowDeletion {
  readonly uniqueId: string | null;
  readonly errors: FieldErrors;
}

/** Reads a row that deletes a task: it gives the name of the task and nothing else. */
export function parseRowDeletion(schema: TaskSchema, row: JsonObject): RowDeletion {
  const { byName, uniqueId } = schema;
  const errors = new FieldErrors();
  const change = emptyChange(schema, 'payload');
  if (row.get('_delete') !== true) errors.add('_delete', 'must be true: a row without it is written');
  if (!uniqueId) errors.add('base', 'This workflow has no Unique ID field');
  for (const [name, input] of row) {
    if (name === '_delete') continue;
    const property = byName.get(name);
    const reason = name === uniqueId?.name ? property?.read(input, change) : undefined;
    if (reason) errors.add(name, reason.said);
    else if (!property)
      errors.add(name, hinted('is not a field of this workflow', nearNameMeant(name, byName)));
    else if (name !== uniqueId?.name) errors.add(name, 'is not allowed in a row that deletes');
  }
  const named = change.uniqueValue ?? null;
  if (uniqueId && named === null && errors.fields.length === 0) errors.add(uniqueId.name, 'is required');
  return { uniqueId: named, errors };
}
