import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { Bell } from './bell.js';
import { Budget } from '../budget.js';
import { type ExecutionKey } from './ledger.js';
import { nextOf } from './due.js';
import { Resolver } from './resolver.js';
import { Waiters } from './waiters.js';

/** Brings executions and workers together: by a bell where there is one, else within this process. */
@Injectable()
export class Dispatcher {
  /** Executions that this process resolves at once. */
  private readonly workers = new Budget(mostAtOnce, 'Too many executions are under way.', 3_600_000);

  constructor(
    private readonly dataSource: DataSource,
    private readonly resolver: Resolver,
    private readonly waiters: Waiters,
    private readonly bell: Bell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Says that an execution waits; never waits itself, and never fails: the sweeper finds what nobody heard of. */
  ring(key: ExecutionKey): void {
    if (!this.bell.ring(key) && this.config.role !== 'api') void this.resolve(key);
  }

  /** Resolves the execution if it can be claimed, and has those go on that waited for it. */
  async resolve(key: ExecutionKey): Promise<void> {
    const claimed = await this.workers.use(() => this.resolver.resolve(key));
    if (!claimed) return;
    this.waiters.wake(key);
    const next = await nextOf(this.dataSource.manager, claimed).catch(() => undefined);
    if (next) this.ring(next);
  }
}

const mostAtOnce = 8;
