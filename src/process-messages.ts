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
    worker.once('exit', () => {
      fail(new Error('the process ended before it answered'));
    });
  });
}

/** Tells a process that another one has taken its place. */
export function retire(worker: Worker): void {
  worker.send(RETIRE);
}

/** Calls back when another process has taken the place of this one. */
export function onRetirement(begin: () => void): void {
  // A terminal that closes, or whoever signals a whole group, means the first process.
  process.on('SIGHUP', () => undefined);
  process.on('message', (message) => {
    if (message === RETIRE) begin();
  });
}
