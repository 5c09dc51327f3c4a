import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Statistics } from '../database/statistics.js';
import { CONFIG, type Config } from '../config.js';
import { Health } from './health.js';
import { Metrics } from './metrics.js';
import { MetricsServer } from './metrics-server.js';
import { HealthController } from './health.controller.js';
import { PoolMetrics } from './pool-metrics.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [
    Metrics,
    {
      provide: MetricsServer,
      inject: [Metrics, CONFIG],
      useFactory: (metrics: Metrics, { host, metricsPort }: Config) =>
        new MetricsServer(metrics, host, metricsPort),
    },
    {
      provide: Health,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, { redisUrl }: Config) => new Health(dataSource, redisUrl),
    },
    PoolMetrics,
    Statistics,
  ],
  exports: [Metrics],
})
export class ObservabilityModule {}
