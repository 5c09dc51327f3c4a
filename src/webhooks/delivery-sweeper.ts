import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { BackgroundWork } from '../jobs/background-work.js';
import { Health } from '../ops/health.js';
import { forgetDeliveries } from './deliveries.repository.js';

/** Drops deliveries that ended 30 days ago. */
@Injectable()
export class DeliverySweeper extends BackgroundWork {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) { role }: Config,
    health: Health,
  ) {
    const failure = 'old deliveries could not be forgotten';
    super(health, { pauseMs: PAUSE_MS, failure, isDoneHere: role !== 'api' });
  }

  protected async work(): Promise<void> {
    while ((await forgetDeliveries(this.dataSource.manager)) > 0);
  }
}

const PAUSE_MS = 60_000;
