import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { Health } from '../ops/health.js';

export const jobsQueue = 'jobs';

export const QUEUE = Symbol('QUEUE');

export interface QueuedJob {
  readonly kind: string;
  readonly job: object;
}

/** Announces jobs to the workers of all processes. The queue may lose jobs: the database has them all. */
@Injectable()
export class JobQueue {
  constructor(
    @Optional() @Inject(QUEUE) private readonly queue: Queue<QueuedJob> | undefined,
    private readonly health: Health,
  ) {
    queue?.on('error', (error) => {
      this.complain(error);
    });
  }

  /** Adds a job to the queue, without waiting. Calls `here` if there is no queue, or if the queue fails. */
  add(job: QueuedJob, here: () => void): void {
    if (!this.queue) {
      here();
      return;
    }
    this.queue
      .add(job, { attempts: 1, removeOnComplete: true, removeOnFail: true })
      .catch((error: unknown) => {
        here();
        this.complain(error);
      });
  }

  private complain(error: unknown): void {
    void this.health.redis?.logFailure(error, 'jobs cannot be sent to Redis; workers query PostgreSQL');
  }
}
