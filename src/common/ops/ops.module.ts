import { Global, Module } from '@nestjs/common';
import { Listener } from '../database/notifications.js';
import { CONFIG, type Config } from '../../config.js';
import { type Logger, LOGGER } from '../logger.js';
import { TimeFile } from './time-file.js';
import { Doorbell } from './doorbell.js';
import { Health } from './health.js';
import { DatabaseMetrics, Metrics } from './metrics.js';
import { MetricsServer } from './metrics-server.js';
import { type Traces } from './open-telemetry.js';
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
      provide: 'traces',
      inject: [CONFIG, LOGGER],
      useFactory: openTraces,
    },
    Listener,
    DatabaseMetrics,
    TimeFile,
    Doorbell,
  ],
  exports: [Doorbell, Health, Listener, Metrics],
})
export class OpsModule {}

/** Loads the SDK only if traces are on; throws if it is not installed then. */
async function openTraces({ tracesUrl }: Config, logger: Logger): Promise<Traces | undefined> {
  if (tracesUrl === undefined) return undefined;
  const { Traces } = await import('./open-telemetry.js').catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing ? new Error(NOT_INSTALLED) : error;
  });
  return new Traces(tracesUrl, logger);
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: run npm ci without --omit=optional, or unset it.';
