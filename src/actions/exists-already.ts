import { type Message, say, sentence, type Sentence } from '../lib/message.js';

/** That a task could not be created, for there is one with its Unique ID in that workflow, which is called so. */
export const existsAlready = (workflow: string, id: string): Sentence =>
  say`${workflow} ${id} exists already`;

/** The name of the workflow and the Unique ID of the task that a message has met, if it tells of one. */
export function taskMetIn(message: Message): readonly [workflow: string, id: string] | undefined {
  const { code, args } = sentence(message);
  const [workflow, id] = args;
  if (code === EXISTS && typeof workflow === 'string' && typeof id === 'string') return [workflow, id];
  for (const arg of args) {
    const met = typeof arg === 'object' ? taskMetIn(arg) : undefined;
    if (met) return met;
  }
  return undefined;
}

const EXISTS = existsAlready('', '').code;
