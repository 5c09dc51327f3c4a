import { type Worker } from 'node:cluster';

// What the first of several processes and those that it has started say to each other, beside metrics and limits.

const RETIRE = 'retire';

/** Tells the first process that this one answers, and what people are to be told of the service. */
export function tellUp(greeting: string): void {
  process.send?.({ greeting });
}

/** Resolves with the greeting of a process when it answers; rejects when it ends before. */
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

/** A process that ended before it answered; but for a signal it has said itself why. */
export class EndedEarly extends Error {
  constructor(readonly signal: string | null) {
    super(`A process ended before it answered${signal === null ? '' : `: ${signal}`}.`);
  }
}

/** Tells a process that another one has taken its place. */
export function retire(worker: Worker): void {
  worker.send(RETIRE);
}

/** Calls back when another process has taken the place of this one. */
export function onRetirement(begin: () => void): void {
  process.on('message', (message) => {
    if (message === RETIRE) begin();
  });
}
