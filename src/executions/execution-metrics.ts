import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { DataSource } from 'typeorm';
import { sql } from '../database/sql.js';
import { Metrics, type Reading } from '../ops/metrics.js';
import { QUEUE } from './execution-queue.js';

/** Shows what becomes of executions; PostgreSQL and Redis are asked every 5 s at most. */
@Injectable()
export class ExecutionMetrics {
  constructor(
    metrics: Metrics,
    private readonly dataSource: DataSource,
    @Optional() @Inject(QUEUE) private readonly queue: Queue | undefined,
  ) {
    const counts = remembered(() => this.count());
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

  private async count(): Promise<Counts> {
    const [counts] = await sql<Counts>(this.dataSource.manager, countExecutions, []);
    return counts ?? { pending: 0, oldest: 0, success: 0, fail: 0 };
  }

  private async jobs(): Promise<Reading> {
    const { waiting, active, delayed } = (await this.queue?.getJobCounts()) ?? {};
    return new Map(Object.entries({ waiting, active, delayed }).map(([state, jobs = 0]) => [state, jobs]));
  }
}

interface Counts {
  readonly pending: number;
  /** Seconds. */
  readonly oldest: number;
  readonly success: number;
  readonly fail: number;
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

// Of those that have ended only the last hour: to count all that are kept would read them all.
const countExecutions = {
  name: 'count-executions',
  text: `
    SELECT p.pending, p.oldest, e.success, e.fail
    FROM (
      SELECT count(*)::integer AS pending,
             COALESCE(EXTRACT(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS oldest
      FROM executions WHERE finished_at IS NULL
    ) p, (
      SELECT count(*) FILTER (WHERE status = 'Success')::integer AS success,
             count(*) FILTER (WHERE status = 'Fail')::integer AS fail
      FROM executions WHERE status <> 'Pending' AND finished_at > now() - interval '1 hour'
    ) e`,
};
