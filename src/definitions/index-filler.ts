import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { Repeated } from '../lib/poller.js';
import { Health } from '../ops/health.js';
import { fillIndexes, unfilledWorkspaces } from './migrate-data/index-fields.js';

/** Goes on with indexes of fields whose `apply` did not come to its end; any number of processes may do so side by side. */
@Injectable()
export class IndexFiller implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated = new Repeated(PAUSE_MS, () => this.run());

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

  private async run(): Promise<void> {
    const isStopped = (): boolean => this.health.isStopping;
    const db = this.dataSource.manager;
    try {
      for (const workspaceId of await unfilledWorkspaces(db))
        await fillIndexes(db, workspaceId, { isStopped });
    } catch (error) {
      await this.health.postgres.logFailure(error, 'the indexes of fields could not be filled');
    }
  }
}

const PAUSE_MS = 5000;
