import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { type Logger, LOGGER } from '../logger.js';
import { Bell } from './bell.js';
import { nextOf } from './due.js';
import { type ExecutionKey } from './ledger.js';
import { Resolver } from './resolver.js';
import { Waiters } from './waiters.js';

/** Brings executions and workers together: by a bell where there is one, else within this process. */
@Injectable()
export class Dispatcher implements OnApplicationShutdown {
  /** Executions that this process works at, at once; those that wait for other systems are more. */
  private readonly workers = new Budget(mostAtOnce, 'Too many executions are under way.', 3_600_000);
  private away = 0;
  private readonly underWay = new Map<Promise<void>, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly resolver: Resolver,
    private readonly waiters: Waiters,
    private readonly bell: Bell,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Says that an execution waits; never waits itself, and never fails: the sweeper finds what nobody heard of. */
  ring(key: ExecutionKey): void {
    const here = (): void => {
      if (this.config.role !== 'api') void this.resolve(key);
    };
    if (!this.bell.ring(key, here)) here();
  }

  /**
   * Resolves the execution if it can be claimed, and has those go on that waited for it; never throws. Ends when that is
   * done, or goes on by itself once an answer comes from another system.
   */
  async resolve(key: ExecutionKey): Promise<void> {
    await new Promise<void>((end) => {
      const work = this.work(key, end).finally(() => {
        this.underWay.delete(work);
        end();
      });
      this.underWay.set(work, nameOf(key));
    });
  }

  /** Those of these executions that nobody in this process is at, or is about to be. */
  unattended(keys: readonly ExecutionKey[]): ExecutionKey[] {
    const attended = new Set(this.underWay.values());
    return keys.filter((key) => !attended.has(nameOf(key)));
  }

  /** Ends when what is under way here has been done or given back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay.keys());
  }

  private async work(key: ExecutionKey, leave: () => void): Promise<void> {
    try {
      const claimed = await this.workers.use(() =>
        this.resolver.resolve(key, (work) => {
          if (this.away >= mostAway) return work();
          leave();
          return this.whileAway(work);
        }),
      );
      if (!claimed) return;
      this.waiters.wake(key);
      const next = await nextOf(this.dataSource.manager, claimed);
      if (next) this.ring(next);
    } catch (error) {
      this.logger.warn({ err: error, execution: key.id }, 'an execution is left to the sweeper');
    }
  }

  /** Lets another execution be begun meanwhile. */
  private async whileAway<T>(work: () => Promise<T>): Promise<T> {
    this.away += 1;
    return this.workers.lend(() => work().finally(() => (this.away -= 1)));
  }
}

const mostAtOnce = 8;
/** Calls beyond these keep a worker each, so that in the end no more executions are begun than memory holds. */
const mostAway = 250;

function nameOf({ workspaceId, id }: ExecutionKey): string {
  return `${workspaceId}/${id}`;
}
