import { type Worker } from 'node:cluster';

// Messages between the first process and its children, except those about metrics and rate limits.

const RETIRE = 'retire';

/** Tells the first process that this one is ready, with the greeting for people. */
export function tellUp(greeting: string): void {
  process.send?.({ greeting });
}

/** Resolves with the greeting of a process when it is ready; rejects if it ends before. */
export function up(worker: Worker): Promise<string> {
  return new Promise((answers, fail) => {
    worker.on('message', (message: unknown) => {
      const greeting: unknown = Reflect.get(Object(message), 'greeting');
      if (typeof greeting === 'string') answers(greeting);
    });
    worker.once('exit', (_: number, signal: string | null) => {
      fail(new EndedEarly(signal));
    });
  });
}

/** A process ended before it was ready; unless a signal ended it, it has printed the reason itself. */
export class EndedEarly extends Error {
  constructor(readonly signal: string | null) {
    super(`A process ended before it answered${signal === null ? '' : `: ${signal}`}.`);
  }
}

/** Tells a process that another one has replaced it. */
export function retire(worker: Worker): void {
  worker.send(RETIRE);
}

/** Calls back when another process has replaced this one. */
export function onRetirement(begin: () => void): void {
  process.on('message', (message) => {
    if (message === RETIRE) begin();
  });
}
