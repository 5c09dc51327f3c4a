import { type ChosenTask } from '../../executions/bulk-edits.js';
import { randomText } from '../../common/random-id.js';
import { stateOfTask, type TaskRow } from '../../tasks/store/task-row.js';

/** What the checkbox of a task sends. */
export const chosenValue = (task: TaskRow): string => `${task.publicId}~${stateOfTask(task)}`;

/** The tasks that a form has chosen, each once. */
export function chosenIn(form: URLSearchParams): ChosenTask[] {
  const chosen = form.getAll('task').map((text): [string, ChosenTask] => {
    const [, publicId = '', state = ''] = /^([\w-]{1,64})~(\d{1,16}@\d{1,16})$/.exec(text) ?? [];
    return [publicId, { publicId, state }];
  });
  return [...new Map(chosen).values()];
}

/** What tells this sending of the form from others. */
export function onceIn(form: URLSearchParams): string {
  const once = form.get('once') ?? '';
  return /^[\w-]{1,64}$/.test(once) ? once : randomText(9);
}
