import { type Queue } from 'bull';
import { type Config } from '../config.js';
import { type Health } from '../ops/health.js';

/** Hands work to the workers of all processes. The queue may lose it at any time: the rows are the truth. */
export class JobQueue<Job extends object> {
  private complainedAt = -Infinity;

  /** `what` names the work in the log. */
  constructor(
    private readonly queue: Queue<Job> | undefined,
    private readonly role: Config['role'],
    private readonly health: Health,
    private readonly what: string,
  ) {
    this.queue?.on('error', (error) => {
      void this.complain(error);
    });
  }

  /**
   * Hands a job to the queue; where there is none, or it does not take the job, to `here` if this process is a worker.
   * Never waits and never fails: the workers look themselves for what nobody was told of.
   */
  dispatch(job: Job, here: (job: Job) => void): void {
    const runHere = (): void => {
      if (this.role !== 'api') here(job);
    };
    if (this.queue) this.add(this.queue, job, runHere);
    else runHere();
  }

  private add(queue: Queue<Job>, job: Job, onFailure: () => void): void {
    const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    let isAdded: boolean | undefined;
    const end = (added: boolean): void => {
      clearTimeout(late);
      if (isAdded === undefined && !added) onFailure();
      isAdded ??= added;
    };
    // A queue that was never connected gives no answer at all.
    const late = setTimeout(end, ADD_TIMEOUT_MS, false);
    queue.add(job, options).then(
      () => {
        end(true);
      },
      (error: unknown) => {
        void this.complain(error);
        end(false);
      },
    );
  }

  /** A Redis that is away would fill the log. */
  private async complain(error: unknown): Promise<void> {
    if (performance.now() - this.complainedAt < 30_000) return;
    this.complainedAt = performance.now();
    const message = `Redis cannot be told of ${this.what}; they are found without it`;
    await this.health.redis?.logFailure(error, message);
  }
}

const ADD_TIMEOUT_MS = 500;
