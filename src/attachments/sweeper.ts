import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { type Logger, LOGGER } from '../logger.js';
import { Repeated } from '../repeated.js';
import { type BlobStore, BLOBS } from './stores/blob-store.js';
import { sweepBlobs } from './sweep-blobs.js';

/** Sweeps the blob store from time to time; any number of processes may do so side by side. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated: Repeated;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOBS) private readonly store: BlobStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const pauseMs = Math.min(Math.max(config.blobGraceMs / 4, 1000), mostPauseMs);
    this.repeated = new Repeated(pauseMs, () => this.run());
  }

  onApplicationBootstrap(): void {
    this.repeated.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
  }

  private async run(): Promise<void> {
    try {
      const swept = await sweepBlobs(this.dataSource.manager, this.store, this.config.blobGraceMs);
      if (swept > 0) this.logger.info({ swept }, 'blobs that no task names were removed');
    } catch (error) {
      this.logger.warn({ err: error }, 'the blobs could not be swept');
    }
  }
}

const mostPauseMs = 600_000;
