import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { Health } from '../ops/health.js';
import { Metrics, type Reading, remembered } from '../ops/metrics.js';

/** The name of the queue. */
export const jobsQueue = 'jobs';

/** What the queue is injected by, where there is a Redis. */
export const QUEUE = Symbol('QUEUE');

/** A job as workers are told of it. */
export interface QueuedJob {
  readonly kind: string;
  readonly job: object;
}

/** Tells the workers of all processes of jobs. The queue may lose them at any time: the rows are the truth. */
@Injectable()
export class JobQueue {
  private complainedAt = -Infinity;

  constructor(
    @Optional() @Inject(QUEUE) private readonly queue: Queue<QueuedJob> | undefined,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    if (!queue) return;
    queue.on('error', (error) => {
      void this.complain(error);
    });
    metrics.addGauge('wts_queue_jobs', 'Jobs in the queue of Redis.', 'state', remembered(() => counted(queue))); // prettier-ignore
  }

  /** Hands a job to the queue; where there is none, or it does not take the job, to `here`. Never waits and never fails. */
  add(job: QueuedJob, here: () => void): void {
    if (!this.queue) {
      here();
      return;
    }
    const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    let isAdded: boolean | undefined;
    const end = (added: boolean): void => {
      clearTimeout(late);
      if (isAdded === undefined && !added) here();
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
  }

  /** A Redis that is away would fill the log. */
  private async complain(error: unknown): Promise<void> {
    if (performance.now() - this.complainedAt < 30_000) return;
    this.complainedAt = performance.now();
    await this.health.redis?.logFailure(error, 'Redis cannot be told of jobs; they are found without it');
  }
}

async function counted(queue: Queue): Promise<Reading> {
  const { waiting, active, delayed } = await queue.getJobCounts();
  return new Map(Object.entries({ waiting, active, delayed }));
}

const ADD_TIMEOUT_MS = 500;
