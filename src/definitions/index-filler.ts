import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { BackgroundWork } from '../jobs/background-work.js';
import { Health } from '../ops/health.js';
import { fillIndexes, unfilledWorkspaces } from './migrate-data/index-fields.js';

/** Goes on with indexes of fields whose `apply` did not come to its end; any number of processes may do so side by side. */
@Injectable()
export class IndexFiller extends BackgroundWork {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) { role }: Config,
    health: Health,
  ) {
    const failure = 'the indexes of fields could not be filled';
    super(health, { pauseMs: PAUSE_MS, failure, isDoneHere: role !== 'api' });
  }

  protected async work(): Promise<void> {
    const isStopped = (): boolean => this.health.isStopping;
    const db = this.dataSource.manager;
    for (const workspaceId of await unfilledWorkspaces(db)) await fillIndexes(db, workspaceId, { isStopped });
  }
}

const PAUSE_MS = 5000;
