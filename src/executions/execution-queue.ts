import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { CONFIG, type Config } from '../config.js';
import { JobQueue } from '../jobs/job-queue.js';
import { Health } from '../ops/health.js';
import { type ExecutionKey } from './executions.repository.js';

/** The name of the queue. */
export const executionsQueue = 'executions';

/** What the queue is injected by, where there is a Redis. */
export const QUEUE = Symbol('QUEUE');

/** Tells the workers of all processes that an execution is Pending. */
@Injectable()
export class ExecutionQueue extends JobQueue<ExecutionKey> {
  constructor(
    @Optional() @Inject(QUEUE) queue: Queue<ExecutionKey> | undefined,
    @Inject(CONFIG) { role }: Config,
    health: Health,
  ) {
    super(queue, role, health, 'executions');
  }
}
