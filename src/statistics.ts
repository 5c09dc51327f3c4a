import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { analyzeNewTables } from './database/fresh-statistics.js';
import { type Logger, LOGGER } from './logger.js';
import { Repeated } from './repeated.js';

/** Sees to it that a database that has just been filled is soon as fast as any. */
@Injectable()
export class Statistics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated = new Repeated(pauseMs, () => this.look());

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.repeated.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
  }

  private async look(): Promise<void> {
    await analyzeNewTables(this.dataSource).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'the tables could not be looked at');
    });
  }
}

const pauseMs = 2000;
