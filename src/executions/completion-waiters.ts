import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ExecutionEntity } from './execution.entity.js';
import { Waiters } from '../../packages/fair/waiters.js';
import { type Ended } from './claims.repository.js';
import { endedOf, type ExecutionKey, textOfKey } from './executions.repository.js';

type OwnEnd = Pick<Ended, 'errors'>;

interface Waiting extends ExecutionKey {
  end?: OwnEnd;
}

@Injectable()
export class CompletionWaiters implements BeforeApplicationShutdown {
  private readonly waiters = new Waiters<Waiting>(PAUSE_MS, async (all) => {
    const ended = new Set((await endedOf(this.executions.manager, all)).map(textOfKey));
    return (key) => ended.has(textOfKey(key));
  });

  constructor(@InjectRepository(ExecutionEntity) private readonly executions: Repository<ExecutionEntity>) {}

  /**
   * Waits for the end of an execution for up to `ms`, or not at all if too many requests wait. Returns the
   * end only if the execution ended in this process.
   */
  async wait(key: ExecutionKey, ms: number): Promise<OwnEnd | undefined> {
    const waiting: Waiting = { ...key };
    if (this.waiters.size < MAX_WAITING) await this.waiters.wait(waiting, ms);
    return waiting.end;
  }

  /** Ends the waits for an execution that has ended in this process. */
  wake(ended: ExecutionKey, end: OwnEnd): void {
    this.waiters.wake((waiting) => {
      const isMeant = textOfKey(waiting) === textOfKey(ended);
      if (isMeant) waiting.end = end;
      return isMeant;
    });
  }

  /** Ends all waits, so that waiting requests are answered before the service closes their connections. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.waiters.stop();
  }
}

const PAUSE_MS = 50;
const MAX_WAITING = 1000;
