import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { BackgroundWork } from '../jobs/background-work.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Health } from '../ops/health.js';
import { abandon, dueExecutions, overdueExecutions } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';
import { logEnd } from './execution-log.js';
import { forgetExecutions } from './executions.repository.js';
import { ExecutionRunner } from './runner.js';

/** Finds executions that nobody heard of or that lost their worker, runs them itself, and ends those past their time. */
@Injectable()
export class ExecutionSweeper extends BackgroundWork implements BeforeApplicationShutdown {
  private readonly unheardMs: number;

  constructor(
    private readonly dataSource: DataSource,
    private readonly dispatcher: Dispatcher,
    private readonly runner: ExecutionRunner,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    health: Health,
  ) {
    const failure = 'the executions could not be swept';
    super(health, { pauseMs: PAUSE_MS, failure, isDoneHere: config.role !== 'api' });
    // Of those that are in the queue of Redis most only wait in line there.
    this.unheardMs = config.redisUrl === undefined ? 1000 : 5000;
  }

  beforeApplicationShutdown(): void {
    this.runner.stop();
  }

  protected async work(): Promise<void> {
    const { manager } = this.dataSource;
    for (const overdue of await overdueExecutions(manager, this.config, 100)) {
      const ended = await abandon(manager, overdue);
      if (ended) logEnd(this.logger, ended, [overdue.reason]);
    }
    // Nobody waits for them here: one that is slow would keep all others from being found.
    // When all places are taken, most due executions only wait in Redis; the oldest may be one that nobody was told of.
    const limit = this.dispatcher.isBusy ? 1 : 100;
    for (const due of this.dispatcher.unattended(await dueExecutions(manager, this.unheardMs, limit)))
      void this.dispatcher.run(due, due.isSuspect);
    await forgetExecutions(manager, this.config.executionDays);
  }
}

const PAUSE_MS = 1000;
