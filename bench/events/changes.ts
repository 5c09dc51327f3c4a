import { type Ask } from '../ask.js';
import { tasksPath } from '../cases.js';

/** A request that changes two values of a task; with another number, it changes them again. */
export function changeTask(ask: Ask, n: number): string {
  const id = `C-${(n % 1000) + 1}`;
  return ask('PUT', tasksPath, { 'Case ID': id, Amount: `${n}.75`, Score: `${n % 89}.25` });
}
