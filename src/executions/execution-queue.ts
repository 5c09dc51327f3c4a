import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { Health } from '../ops/health.js';
import { type ExecutionKey } from './executions.repository.js';

/** The name of the queue. */
export const executionsQueue = 'executions';

/** What the queue is injected by, where there is a Redis. */
export const QUEUE = Symbol('QUEUE');

/** Tells the workers of all processes that an execution is Pending. The queue may lose it at any time: the row is the truth. */
@Injectable()
export class ExecutionQueue {
  private complainedAt = -Infinity;

  constructor(
    @Optional() @Inject(QUEUE) private readonly queue: Queue<ExecutionKey> | undefined,
    private readonly health: Health,
  ) {
    this.queue?.on('error', (error) => {
      void this.complain(error);
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
    await this.health.redis?.logFailure(
      error,
      'Redis cannot be told of executions; they are found without it',
    );
  }
}

const ADD_TIMEOUT_MS = 500;
