import { type Json } from '../lib/json/json.js';
import { noPrecondition, type TaskRow } from '../task-store/task-row.js';
import { type Write } from '../tasks/write-task.js';

/** What changes one property of a task, unless the task has another version than these by now. */
export function changeOf(
  { publicId }: Pick<TaskRow, 'publicId'>,
  [name, value]: readonly [name: string, value: Json],
  versions: readonly number[],
): Write {
  const precondition = { ...noPrecondition, mustExist: true, versions };
  return { verb: 'update', task: { publicId }, payload: new Map([[name, value]]), precondition };
}
