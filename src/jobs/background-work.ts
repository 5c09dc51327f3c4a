import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Repeated } from '../lib/repeated.js';
import { type Health } from '../ops/health.js';

/** How often, where and under what name background work is done. */
export interface WorkTerms {
  /** Milliseconds between the end of one time and the next. */
  readonly pauseMs: number;
  /** What the log says when it fails; it is left to the next time. */
  readonly failure: string;
  /** False where this process leaves it to others. */
  readonly isDoneHere?: boolean;
}

/** Work that a process does again and again, from its start to its end. */
export abstract class BackgroundWork implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated: Repeated;

  constructor(
    protected readonly health: Health,
    private readonly terms: WorkTerms,
  ) {
    this.repeated = new Repeated(terms.pauseMs, () => this.runOnce());
  }

  onApplicationBootstrap(): void {
    if (this.terms.isDoneHere ?? true) this.repeated.start();
  }

  /** Resolves when what is under way has ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
  }

  /** Does it now; never throws. */
  async runOnce(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      await this.health.postgres.logFailure(error, this.terms.failure);
    }
  }

  protected abstract work(): Promise<void>;
}
