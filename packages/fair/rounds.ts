import { setImmediate as nextTurn } from 'node:timers/promises';

/** Does short pieces of work one after the other: after each `roundMs` of them the event loop goes round once. */
export class Rounds {
  private readonly queue: (() => void)[] = [];
  private isRunning = false;

  constructor(private readonly roundMs: number) {}

  /** Does the work when all before it is done; never in the caller's own turn of the event loop. */
  do<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (!this.isRunning) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.queue.length > 0) {
      await nextTurn();
      const begun = performance.now();
      let done = 0;
      while (done < this.queue.length && performance.now() - begun < this.roundMs) {
        this.queue[done]?.();
        done += 1;
        // What follows from it counts, too: the caller goes on, and Node.js hands what is written to the socket.
        await new Promise<void>((resolve) => {
          process.nextTick(resolve);
        });
      }
      this.queue.splice(0, done);
    }
    this.isRunning = false;
  }
}
