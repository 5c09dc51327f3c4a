import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { type Logger, LOGGER } from '../lib/logger.js';
import { type ExecutionKey } from './executions.repository.js';

/** The name of the queue. */
export const executionsQueue = 'executions';

/** What the queue is injected by, where there is a Redis. */
export const QUEUE = Symbol('QUEUE');

/** Tells workers of all processes that an execution waits; only tells: what is in the queue may be lost at any time. */
@Injectable()
export class ExecutionQueue {
  private complainedAt = -Infinity;

  constructor(
    @Optional() @Inject(QUEUE) private readonly queue: Queue<ExecutionKey> | undefined,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.queue?.on('error', (error) => {
      this.complain(error);
    });
  }

  /** Adds a job without waiting; false where there is no queue. `onFailure` is called when it could not be added. */
  add(key: ExecutionKey, onFailure: () => void): boolean {
    if (!this.queue) return false;
    const job = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    let isAdded: boolean | undefined;
    const end = (added: boolean): void => {
      clearTimeout(late);
      if (isAdded === undefined && !added) onFailure();
      isAdded ??= added;
    };
    // A queue that was never connected gives no answer at all.
    const late = setTimeout(end, ADD_TIMEOUT_MS, false);
    this.queue.add({ workspaceId: key.workspaceId, id: key.id }, job).then(
      () => {
        end(true);
      },
      (error: unknown) => {
        this.complain(error);
        end(false);
      },
    );
    return true;
  }

  /** A Redis that is away would fill the log. */
  private complain(error: unknown): void {
    if (performance.now() - this.complainedAt < 30_000) return;
    this.complainedAt = performance.now();
    this.logger.warn(
      { err: error },
      'Redis (REDIS_URL) cannot be told of executions; they are found without it',
    );
  }
}

const ADD_TIMEOUT_MS = 500;
