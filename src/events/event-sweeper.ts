import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { Repeated } from '../lib/poller.js';
import { Health } from '../ops/health.js';
import { dropEvents, numberEvents, workspacesOfEvents } from './events.repository.js';

/**
 * Drops events that are older than they are to be kept, and gives positions to those that nobody has followed for a
 * while, so that whoever begins to does not wait for all of them to be numbered.
 */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated = new Repeated(INTERVAL_MS, () => this.sweep());

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly health: Health,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') this.repeated.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
  }

  /** Goes through all workspaces once. */
  async sweep(): Promise<void> {
    const { eventDays } = this.config;
    const { manager } = this.dataSource;
    try {
      for (const id of await workspacesOfEvents(manager)) {
        await numberEvents(manager, id);
        while (eventDays !== undefined && (await dropEvents(manager, id, eventDays)) > 0);
      }
    } catch (error) {
      await this.health.postgres.logFailure(error, 'the events could not be swept');
    }
  }
}

const INTERVAL_MS = 300_000;
