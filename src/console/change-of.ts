import { type Json } from '../lib/json/json.js';
import { noPrecondition } from '../task-store/task-row.js';
import { type Write } from '../tasks/write-task.js';
import { type Workflow } from '../workspace/workspace.js';

/** What changes one property of a task, unless the task has another version than these by now. */
export function changeOf(
  { schema }: Workflow,
  uniqueId: string,
  [name, value]: readonly [name: string, value: Json],
  versions: readonly number[],
): Write {
  const payload = new Map<string, Json>([[schema.uniqueId?.name ?? '', uniqueId], [name, value]]); // prettier-ignore
  return { verb: 'update', payload, precondition: { ...noPrecondition, mustExist: true, versions } };
}
