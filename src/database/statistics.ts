import { DataSource } from 'typeorm';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Repeated } from '../lib/repeated.js';

/**
 * Analyzes tables that have grown and have never been analyzed. Without statistics PostgreSQL may choose a bad index,
 * and autovacuum only starts after a minute.
 */
export async function analyzeNewTables(dataSource: DataSource): Promise<void> {
  const tables = await dataSource.query<{ name: string }[]>(neverSeen);
  for (const { name } of tables) await dataSource.query(`ANALYZE ${name}`);
}

// The cast of regclass to text quotes the names.
const neverSeen = `
  SELECT s.relid::regclass::text AS name FROM pg_stat_user_tables s
  WHERE s.schemaname = current_schema() AND s.n_mod_since_analyze > 500
    AND s.last_analyze IS NULL AND s.last_autoanalyze IS NULL`;

/** Analyzes newly filled tables every few seconds, so that reads of them soon become fast. */
@Injectable()
export class Statistics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated = new Repeated(INTERVAL_MS, () => this.look());

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.background === 'always') this.repeated.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
  }

  private async look(): Promise<void> {
    await analyzeNewTables(this.dataSource).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'the statistics of the tables could not be checked');
    });
  }
}

const INTERVAL_MS = 2000;
