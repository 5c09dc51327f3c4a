import { Injectable } from '@nestjs/common';
import { type Requester } from '../database/sql.js';
import { Refusal } from '../lib/errors.js';
import { FairSemaphore, type Holder } from '../lib/semaphore.js';

/**
 * The memory for long answers, from before they are read until their clients have taken them or are gone: who takes none
 * gets no more than a part of it.
 */
@Injectable()
export class AnswerRoom {
  private readonly bytes = new FairSemaphore(64_000_000, refusal, {
    ofKey: 24_000_000,
    ofWorkspace: 40_000_000,
    waitTimeoutMs: 5000,
  });
  private readonly reads = new FairSemaphore(PEAK_BYTES, refusal);
  /** Writes may wait for locks, and reads not for them. */
  private readonly writes = new FairSemaphore(PEAK_BYTES, refusal);

  /** Reads what becomes an answer of about so many bytes once there is room for it. */
  read<T>(requester: Requester, bytes: number, read: () => Promise<T>): Promise<T> {
    return this.make(this.reads, requester, bytes, read);
  }

  /** The same for what is only looked into: of a short answer, and for however long that takes, nothing is held. */
  look<T>(requester: Requester, bytes: number, read: () => Promise<T>): Promise<T> {
    const { workspaceId, keyId } = requester;
    return this.make(this.reads, { workspaceId, keyId }, bytes, read);
  }

  /** The same for a write whose answer is as long. */
  write<T>(requester: Requester, bytes: number, write: () => Promise<T>): Promise<T> {
    return this.make(this.writes, requester, bytes, write);
  }

  private async make<T>(
    peak: FairSemaphore,
    requester: Requester,
    bytes: number,
    work: () => Promise<T>,
  ): Promise<T> {
    const amount = await this.take(requester, bytes);
    const giveBack = (): void => {
      this.bytes.release(requester, amount);
    };
    try {
      return await peak.use(requester, work, Math.max(bytes, LEAST_PEAK_BYTES));
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
/** What is being made takes several times its size: four at once, two of one key, and fewer of the largest. */
const PEAK_BYTES = 32_000_000;
const LEAST_PEAK_BYTES = PEAK_BYTES / 4;
