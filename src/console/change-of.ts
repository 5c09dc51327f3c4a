import { type Json } from '../../packages/exact-json/json.js';
import { noPrecondition, type TaskRow } from '../task-store/task-row.js';
import { type Write } from '../tasks/write-task.js';

/** What changes one property of a task, unless the task is in another state than these by now. */
export function changeOf(
  { publicId }: Pick<TaskRow, 'publicId'>,
  [name, value]: readonly [name: string, value: Json],
  states: readonly string[],
): Write {
  const precondition = { ...noPrecondition, mustExist: true, states };
  return { verb: 'update', task: { publicId }, payload: new Map([[name, value]]), precondition };
}
