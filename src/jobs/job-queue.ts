import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { Together } from '../database/together.js';
import { Health } from '../ops/health.js';
import { Metrics, type Reading, remembered } from '../ops/metrics.js';

/** The name of the queue. */
export const jobsQueue = 'jobs';

/** The injection token of the queue, where there is a Redis. */
export const QUEUE = Symbol('QUEUE');

/** A job as it is announced to workers. */
export interface QueuedJob {
  readonly kind: string;
  readonly job: object;
}

/** One job of Bull that may carry others: Bull's work for a job costs more than most executions. */
export interface QueuedJobs extends QueuedJob {
  readonly others?: readonly QueuedJob[];
}

/** Announces jobs to the workers of all processes. The queue may lose them at any time: the rows are the truth. */
@Injectable()
export class JobQueue {
  private complainedAt = -Infinity;
  private readonly line = new Together<QueuedJob, boolean>({
    askFor: (jobs) => this.put(jobs),
    mostRiders: MAX_IN_ONE,
  });

  constructor(
    @Optional() @Inject(QUEUE) private readonly queue: Queue<QueuedJobs> | undefined,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    if (!queue) return;
    queue.on('error', (error) => {
      void this.complain(error);
    });
    metrics.addSharedGauge('wts_queue_jobs', 'Jobs in the queue of Redis.', 'state', remembered(() => counted(queue))); // prettier-ignore
  }

  /** Hands a job to the queue; calls `here` if no queue takes it. Never waits and never fails. */
  add(job: QueuedJob, here: () => void): void {
    const alone = async (): Promise<boolean> => (await this.put([job]))[0] === true;
    void this.line
      .ask(() => job, undefined, alone)
      .then((isAdded) => {
        if (!isAdded) here();
      });
  }

  /** Puts these jobs into the queue as one job of Bull; tells for each whether the queue took it. */
  private async put([first, ...others]: readonly QueuedJob[]): Promise<boolean[]> {
    const { queue } = this;
    if (!queue || !first) return [false];
    const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    const isAdded = new Promise<boolean>((resolve) => {
      // A queue that was never connected does not settle the call.
      const late = setTimeout(resolve, ADD_TIMEOUT_MS, false);
      const refuse = (error: unknown): void => {
        void this.complain(error);
        resolve(false);
      };
      const adding = queue.add({ ...first, others }, options).then(() => { resolve(true); }, refuse); // prettier-ignore
      void adding.finally(() => { clearTimeout(late); }); // prettier-ignore
    });
    return Array<boolean>(others.length + 1).fill(await isAdded);
  }

  /** Logs at most every 30 s: a Redis that is away would fill the log. */
  private async complain(error: unknown): Promise<void> {
    if (performance.now() - this.complainedAt < 30_000) return;
    this.complainedAt = performance.now();
    await this.health.redis?.logFailure(error, 'jobs cannot be sent to Redis; workers find them without it');
  }
}

async function counted(queue: Queue): Promise<Reading> {
  const { waiting, active, delayed } = await queue.getJobCounts();
  return new Map(Object.entries({ waiting, active, delayed }));
}

const ADD_TIMEOUT_MS = 500;
/** A process may take more jobs than it has places for: the limit is low, so that other processes are not idle. */
const MAX_IN_ONE = 8;
