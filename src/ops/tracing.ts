import { type IncomingHttpHeaders } from 'node:http';
import { type OnApplicationShutdown } from '@nestjs/common';
import { type Config } from '../config.js';
import { type Logger } from '../lib/logger.js';
import { duringSpan, type Span, type SpanOptions, type Traces } from '../lib/trace.js';

/** Begins the traces of requests and jobs; does nothing if traces are off. */
export class Tracing implements OnApplicationShutdown {
  constructor(private readonly traces: Traces | undefined) {}

  /** The span of a request; undefined where traces are off. */
  beginRequest(method: string, { traceparent }: IncomingHttpHeaders): Span | undefined {
    const parent = typeof traceparent === 'string' ? traceparent : undefined;
    const attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    return this.traces?.begin(method, { kind: 'server', parent, attributes });
  }

  /** Runs a job as work of its own. */
  async job<T>(
    kind: string,
    optionsOf: () => SpanOptions & { readonly name?: string },
    doIt: () => Promise<T>,
  ): Promise<T> {
    if (!this.traces) return doIt();
    const { name = `job ${kind}`, ...options } = optionsOf();
    return duringSpan(this.traces.begin(name, { kind: 'consumer', ...options }), doIt);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.traces?.close();
  }
}

/** Loads the SDK only if traces are on; throws if they are on and the SDK is not installed. */
export async function openTracing({ tracesUrl }: Config, logger: Logger): Promise<Tracing> {
  if (tracesUrl === undefined) return new Tracing(undefined);
  const { openTraces } = await import('./open-telemetry.js').catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing ? new Error(NOT_INSTALLED) : error;
  });
  return new Tracing(openTraces(tracesUrl, logger));
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: run npm ci without --omit=optional, or unset it.';
