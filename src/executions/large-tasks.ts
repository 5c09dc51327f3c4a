import { FairSemaphore } from '../lib/semaphore.js';
import { type Claimed } from './claims.repository.js';
import { TooManyCalls } from './waiting-calls.js';

/**
 * The memory for executions on large tasks, which are read whole, and copied by each step: a workspace has half of it, so
 * two of the largest are worked at. Those that wait longer are put off.
 */
export class LargeTasks {
  private readonly bytes = new FairSemaphore(64_000_000, 'Too many large tasks are worked at.', {
    ofKey: 32_000_000,
    ofWorkspace: 32_000_000,
    waitTimeoutMs: 5000,
  });

  /** Works at the task of an execution once there is room for it; throws `TooManyCalls` where there is none for long. */
  async use<T>({ workspaceId, largeBytes }: Claimed, work: () => Promise<T>): Promise<T> {
    if (largeBytes === 0) return work();
    const holder = { workspaceId };
    const amount = await this.bytes.acquire(holder, largeBytes).catch(() => {
      throw new TooManyCalls();
    });
    try {
      return await work();
    } finally {
      this.bytes.release(holder, amount);
    }
  }
}
