import { type ChosenTask, versionMark } from '../../executions/bulk-edits.js';
import { randomText } from '../../lib/random-id.js';
import { type TaskRow } from '../../task-store/task-row.js';

/** What the checkbox of a task sends. */
export const chosenValue = (task: TaskRow): string => `${task.publicId}~${versionMark(task)}`;

/** The tasks that a form has chosen, each once. */
export function chosenIn(form: URLSearchParams): ChosenTask[] {
  const chosen = form.getAll('task').map((text): [string, ChosenTask] => {
    const [, publicId = '', mark = ''] = /^([\w-]{1,64})~([\da-z]{1,3})$/.exec(text) ?? [];
    return [publicId, { publicId, mark }];
  });
  return [...new Map(chosen).values()];
}

/** What tells this sending of the form from others. */
export function onceIn(form: URLSearchParams): string {
  const once = form.get('once') ?? '';
  return /^[\w-]{1,64}$/.test(once) ? once : randomText(9);
}
