import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource } from 'typeorm';
import { Secrets } from './access/secrets.js';
import { CONFIG, type Config } from './config.js';
import { ConsoleModule } from './console/console.module.js';
import { features, followers } from './features.js';
import { ErrorFilter } from './common/ops/error.filter.js';
import { UnroutedController } from './common/ops/unrouted.controller.js';
import { type BlobStore, BLOBS } from './tasks/files/blob-store.js';
import { watchStore } from './attachments/stores/open-blob-store.js';
import { KindsModule } from './automation/shown/kinds.module.js';
import { DefinitionsModule } from './workflows/definition/definitions.module.js';
import { dropLeftovers } from './common/database/leftovers.js';
import { type BackgroundWork, WORK } from './common/ops/job-kind.js';
import { followFeeds } from './events/followers/follow.job.js';
import { followerGauges } from './events/followers/followers.repository.js';
import { JobsModule } from './common/jobs/jobs.module.js';
import { LOGGER, type Logger } from './common/logger.js';
import { McpModule } from './mcp/mcp.module.js';
import { GAUGES, type GaugesOfDatabase } from './common/ops/metrics.js';
import { OpsModule } from './common/ops/ops.module.js';
import { DocsModule } from './workflows/docs/docs.module.js';
import { outboundIsOff, outboundOf } from './common/outbound.js';
import { Outbound } from '../packages/safe-http/client.js';

/** The objects that all modules use: a configuration, a connected database, a blob store and a log. */
export interface Foundations {
  readonly config: Config;
  readonly dataSource: DataSource;
  readonly blobs: BlobStore;
  readonly logger: Logger;
}

const leftovers = features.flatMap((feature) => feature.leftovers ?? []);

const backgroundWork: BackgroundWork = {
  jobs: [...features.flatMap(({ jobs }) => jobs ?? []), followFeeds(followers)],
  sweeps: features.flatMap(({ sweeps }) => sweeps ?? []),
  periodic: [
    { name: 'expired-rows', everyMs: () => 60_000, sweep: ({ db }) => dropLeftovers(db, leftovers) },
    ...features.flatMap(({ periodic }) => periodic ?? []),
  ],
};

const gauges: GaugesOfDatabase = (db) => [
  ...features.flatMap((feature) => feature.gauges?.(db) ?? []),
  ...followerGauges(
    db,
    followers.map(({ name }) => name),
  ),
];

@Module({})
export class AppModule {
  static async on({ config, dataSource, blobs, logger }: Foundations): Promise<DynamicModule> {
    return {
      module: AppModule,
      global: true,
      // Modules shut down in reverse order of import. The last module's route matches all remaining requests.
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => dataSource.options,
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
        OpsModule,
        ...features.flatMap(({ modules }) => modules ?? []),
        DefinitionsModule,
        KindsModule,
        await JobsModule.on(config),
        ...(config.mcp === 'off' ? [] : [McpModule]),
        ...(config.hasConsole ? [ConsoleModule] : []),
        DocsModule,
        UnroutedModule,
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: BLOBS, useValue: watchStore(blobs, logger) },
        { provide: LOGGER, useValue: logger },
        { provide: WORK, useValue: backgroundWork },
        { provide: GAUGES, useValue: gauges },
        { provide: Outbound, useValue: outboundIn(config) },
        { provide: Secrets, useValue: new Secrets(config.secrets) },
        ErrorFilter,
        { provide: APP_FILTER, useExisting: ErrorFilter },
      ],
      exports: [CONFIG, BLOBS, LOGGER, WORK, GAUGES, Outbound, Secrets, ErrorFilter],
    };
  }
}

/** Outgoing requests use 3/8 of the threads for DNS, at least two. PostgreSQL and S3 need the others. */
const outboundIn = ({ isOutboundOn, outboundAllow, threads }: Config): Outbound =>
  outboundOf({
    refusal: isOutboundOn ? undefined : outboundIsOff,
    allow: outboundAllow,
    lookups: Math.max(2, Math.floor((threads * 3) / 8)),
  });

@Module({ controllers: [UnroutedController] })
class UnroutedModule {}
