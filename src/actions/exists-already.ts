import { type Message, say, sentence, type Sentence } from '../lib/message.js';

/** The message that a workflow already has a task with this Unique ID. */
export const existsAlready = (workflow: string, id: string): Sentence =>
  say`${workflow} ${id} exists already`;

/** The workflow and the Unique ID that such a message names; undefined for other messages. */
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
