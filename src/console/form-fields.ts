import { hash } from 'node:crypto';
import { type Json } from '../../packages/exact-json/json.js';
import { noPrecondition, type TaskRow } from '../tasks/store/task-row.js';
import { type Write } from '../tasks/write.js';

/** The control by which a form names itself, so that what it asks for is done once. */
export const FORM_KEY = '_key';

/** The key under which a form is answered once, however often it is sent; with other contents it is another request. */
export function keyOfForm(form: URLSearchParams, files: readonly unknown[] = []): string | undefined {
  if (!form.get(FORM_KEY)) return undefined;
  return hash('sha256', JSON.stringify([form.toString(), ...files]), 'base64url');
}

/** The state of the task that a form was made of, as a precondition has it; a text that is none is that of no task. */
export function statesIn(form: URLSearchParams): string[] {
  const state = form.get('version') ?? '';
  return /^\d{1,16}@\d{1,16}$/.test(state) ? [state] : [];
}

/** What changes one property of a task, unless the task is in another state than these by now. */
export function changeOf(
  { publicId }: Pick<TaskRow, 'publicId'>,
  [name, value]: readonly [name: string, value: Json],
  states: readonly string[],
): Write {
  const precondition = { ...noPrecondition, mustExist: true, states };
  return { verb: 'update', task: { publicId }, payload: new Map([[name, value]]), precondition };
}
