import { type Requester } from '../database/sql.js';
import { Refusal } from '../lib/errors.js';
import { FairSemaphore, type Holder } from '../lib/semaphore.js';

/**
 * The memory for long answers, from before they are read until their clients have taken them or are gone: who takes none
 * gets no more than a part of it.
 */
export class AnswerRoom {
  private readonly bytes = new FairSemaphore(64_000_000, refusal, {
    ofKey: 24_000_000,
    ofWorkspace: 40_000_000,
    waitTimeoutMs: 5000,
  });
  /** What is being read takes several times its size. */
  private readonly reads = new FairSemaphore(4, refusal);

  /** Reads what becomes an answer of about so many bytes once there is room for it. */
  async read<T>(requester: Requester, bytes: number, read: () => Promise<T>): Promise<T> {
    const amount = await this.take(requester, bytes);
    const giveBack = (): void => {
      this.bytes.release(requester, amount);
    };
    try {
      return await this.reads.use(requester, read);
    } finally {
      if (requester.deadline) requester.deadline.whenMet(giveBack);
      else giveBack();
    }
  }

  private async take(holder: Holder, bytes: number): Promise<number> {
    try {
      return await this.bytes.acquire(holder, bytes);
    } catch {
      // On a kept connection the next requests, which may have been sent already, would wait as well.
      throw new Refusal('unavailable', refusal, { 'Retry-After': '1', Connection: 'close' });
    }
  }
}

const refusal = 'Too many long answers wait for their clients.';
