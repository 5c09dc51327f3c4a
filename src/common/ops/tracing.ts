import { type OnApplicationShutdown } from '@nestjs/common';
import { type Config } from '../../config.js';
import { type Logger } from '../logger.js';

/** Ends tracing when the service shuts down. */
export class Tracing implements OnApplicationShutdown {
  constructor(private readonly close: () => Promise<void>) {}

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

/** Loads OpenTelemetry's SDK if traces are on. Throws if the SDK is not installed. */
export async function openTracing({ tracesUrl }: Config, logger: Logger): Promise<Tracing> {
  if (tracesUrl === undefined) return new Tracing(() => Promise.resolve());
  const { openTraces } = await import('./open-telemetry.js').catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing ? new Error(NOT_INSTALLED) : error;
  });
  return new Tracing(openTraces(tracesUrl, logger));
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: run npm ci without --omit=optional, or unset the variable.';
