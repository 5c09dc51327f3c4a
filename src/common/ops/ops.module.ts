import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Listener } from '../database/notifications.js';
import { databaseUrl } from '../database/data-source.js';
import { CONFIG, type Config } from '../../config.js';
import { type Logger, LOGGER } from '../logger.js';
import { TimeFile } from './time-file.js';
import { Doorbell } from './doorbell.js';
import { Health } from './health.js';
import { DatabaseMetrics, Metrics, PoolMetrics } from './metrics.js';
import { MetricsServer } from './metrics-server.js';
import { openTracing, Tracing } from './tracing.js';
import { HealthController } from './health.controller.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [
    Metrics,
    {
      provide: MetricsServer,
      inject: [Metrics, CONFIG],
      useFactory: (metrics: Metrics, config: Config) => new MetricsServer(() => metrics.text(), config),
    },
    {
      provide: Health,
      inject: [DataSource, CONFIG, LOGGER, Metrics],
      useFactory(dataSource: DataSource, { redisUrl }: Config, logger: Logger, metrics: Metrics) {
        const health = new Health(dataSource, redisUrl, logger);
        health.measure(metrics);
        return health;
      },
    },
    {
      provide: Tracing,
      inject: [CONFIG, LOGGER],
      useFactory: (config: Config, logger: Logger) => openTracing(config, logger),
    },
    {
      provide: Listener,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, { listenUrl }: Config) =>
        new Listener(listenUrl ?? databaseUrl(dataSource)),
    },
    PoolMetrics,
    DatabaseMetrics,
    TimeFile,
    Doorbell,
  ],
  exports: [Doorbell, Health, Listener, Metrics, Tracing],
})
export class OpsModule {}
