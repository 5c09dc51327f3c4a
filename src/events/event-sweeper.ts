import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { BackgroundWork } from '../jobs/background-work.js';
import { Health } from '../ops/health.js';
import { dropEvents, numberEvents, workspacesOfEvents } from './events.repository.js';

/**
 * Drops events that are older than they are to be kept, and gives positions to those that nobody has followed for a
 * while, so that whoever begins to does not wait for all of them to be numbered.
 */
@Injectable()
export class EventSweeper extends BackgroundWork {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    health: Health,
  ) {
    const failure = 'the events could not be swept';
    super(health, { pauseMs: PAUSE_MS, failure, isDoneHere: config.role !== 'api' });
  }

  /** Goes through all workspaces once. */
  protected async work(): Promise<void> {
    const { eventDays } = this.config;
    const { manager } = this.dataSource;
    for (const id of await workspacesOfEvents(manager)) {
      await numberEvents(manager, id);
      while (eventDays !== undefined && (await dropEvents(manager, id, eventDays)) > 0);
    }
  }
}

const PAUSE_MS = 300_000;
