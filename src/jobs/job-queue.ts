import { type Queue } from 'bull';
import { type Health } from '../ops/health.js';

/** Tells the workers of all processes of work. The queue may lose it at any time: the rows are the truth. */
export class JobQueue<Job extends object> {
  private complainedAt = -Infinity;

  /** `what` names the work in the log. */
  constructor(
    private readonly queue: Queue<Job> | undefined,
    private readonly health: Health,
    private readonly what: string,
  ) {
    this.queue?.on('error', (error) => {
      void this.complain(error);
    });
  }

  /** Adds a job without waiting; false where there is no queue. `onFailure` is called when it could not be added. */
  add(job: Job, onFailure: () => void): boolean {
    if (!this.queue) return false;
    const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    let isAdded: boolean | undefined;
    const end = (added: boolean): void => {
      clearTimeout(late);
      if (isAdded === undefined && !added) onFailure();
      isAdded ??= added;
    };
    // A queue that was never connected gives no answer at all.
    const late = setTimeout(end, ADD_TIMEOUT_MS, false);
    this.queue.add(job, options).then(
      () => {
        end(true);
      },
      (error: unknown) => {
        void this.complain(error);
        end(false);
      },
    );
    return true;
  }

  /** A Redis that is away would fill the log. */
  private async complain(error: unknown): Promise<void> {
    if (performance.now() - this.complainedAt < 30_000) return;
    this.complainedAt = performance.now();
    const { redis } = this.health;
    if (await redis?.staysUp())
      await redis?.logFailure(error, `Redis cannot be told of ${this.what}; they are found without it`);
  }
}

const ADD_TIMEOUT_MS = 500;
