import { Global, Module } from '@nestjs/common';
import { Listener } from '../database/notifications.js';
import { CONFIG, type Config } from '../../config.js';
import { type Logger, LOGGER } from '../logger.js';
import { TimeFile } from './time-file.js';
import { Doorbell } from './doorbell.js';
import { Health } from './health.js';
import { DatabaseMetrics, Metrics } from './metrics.js';
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
    Health,
    {
      provide: Tracing,
      inject: [CONFIG, LOGGER],
      useFactory: (config: Config, logger: Logger) => openTracing(config, logger),
    },
    Listener,
    DatabaseMetrics,
    TimeFile,
    Doorbell,
  ],
  exports: [Doorbell, Health, Listener, Metrics, Tracing],
})
export class OpsModule {}
