import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs short pieces of work in turn, and lets the event loop continue after each `roundMs` of them. */
export class Rounds {
  private readonly queue: (() => void)[] = [];
  private isRunning = false;

  constructor(private readonly roundMs: number) {}

  /** Runs the work after all earlier pieces; never in the caller's own turn of the event loop. */
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
        // Includes follow-up work: the caller continues, and Node.js passes written data to the socket.
        await new Promise<void>((resolve) => {
          process.nextTick(resolve);
        });
      }
      this.queue.splice(0, done);
    }
    this.isRunning = false;
  }
}
