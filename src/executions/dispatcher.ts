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
  /** Executions that this process resolves at once. */
  private readonly workers = new Budget(mostAtOnce, 'Too many executions are under way.', patienceMs);
  /** One at a time, so that the one that ends the process takes none of the others with it again and again. */
  private readonly suspects = new Budget(1, 'Too many executions are under way.', patienceMs);
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

  /** Resolves the execution if it can be claimed, and has those go on that waited for it; never throws. */
  async resolve(key: ExecutionKey, isSuspect = false): Promise<void> {
    const work = this.work(key, isSuspect ? this.suspects : this.workers).finally(() => this.underWay.delete(work));
    this.underWay.set(work, nameOf(key));
    await work;
  }

  /** Those of these executions that nobody in this process is at, or is about to be. */
  unattended<Key extends ExecutionKey>(keys: readonly Key[]): Key[] {
    const attended = new Set(this.underWay.values());
    return keys.filter((key) => !attended.has(nameOf(key)));
  }

  /** Ends when what is under way here has been done or given back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay.keys());
  }

  private async work(key: ExecutionKey, budget: Budget): Promise<void> {
    try {
      const claimed = await budget.use(() => this.resolver.resolve(key));
      if (!claimed) return;
      this.waiters.wake(key);
      const next = await nextOf(this.dataSource.manager, claimed);
      if (next) this.ring(next);
    } catch (error) {
      this.logger.warn({ err: error, execution: key.id }, 'an execution is left to the sweeper');
    }
  }
}

const mostAtOnce = 8;
const patienceMs = 3_600_000;

function nameOf({ workspaceId, id }: ExecutionKey): string {
  return `${workspaceId}/${id}`;
}
