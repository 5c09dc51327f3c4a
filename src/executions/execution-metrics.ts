import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { DataSource } from 'typeorm';
import { Metrics, type Reading } from '../ops/metrics.js';
import { countExecutions } from './executions.repository.js';
import { QUEUE } from './execution-queue.js';

/** Shows what becomes of executions; PostgreSQL and Redis are asked every 5 s at most. */
@Injectable()
export class ExecutionMetrics {
  constructor(
    metrics: Metrics,
    dataSource: DataSource,
    @Optional() @Inject(QUEUE) private readonly queue: Queue | undefined,
  ) {
    const counts = remembered(() => countExecutions(dataSource.manager));
    metrics.addGauge(
      'wts_executions',
      'Executions that are Pending, and those that ended in the last hour.',
      'state',
      async () => {
        const { pending, success, fail } = await counts();
        return new Map([['Pending', pending], ['Success', success], ['Fail', fail]]); // prettier-ignore
      },
    );
    metrics.addGauge(
      'wts_execution_oldest_pending_seconds',
      'The age of the oldest Pending execution.',
      undefined,
      async () => (await counts()).oldest,
    );
    const jobs = remembered(() => this.jobs());
    if (queue) metrics.addGauge('wts_queue_jobs', 'Jobs in the queue of Redis.', 'state', jobs);
  }

  private async jobs(): Promise<Reading> {
    const { waiting, active, delayed } = (await this.queue?.getJobCounts()) ?? {};
    return new Map(Object.entries({ waiting, active, delayed }).map(([state, jobs = 0]) => [state, jobs]));
  }
}

/** Keeps an answer for 5 s, and shares one that is still being found. */
function remembered<T>(find: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let foundAt = -Infinity;
  return () => {
    if (last && performance.now() - foundAt < CACHE_MS) return last;
    foundAt = performance.now();
    return (last = find());
  };
}

const CACHE_MS = 5000;
