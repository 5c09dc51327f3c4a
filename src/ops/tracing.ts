import { type IncomingHttpHeaders } from 'node:http';
import { type OnApplicationShutdown } from '@nestjs/common';
import { Spent } from '../../packages/fair/spent.js';
import { type Config } from '../config.js';
import { type Logger } from '../lib/logger.js';
import { asWork, duringSpan, type Span, type SpanOptions, type Traces } from '../lib/trace.js';

/** Reports on work: in traces if they are on, and in the log if the work is slow. */
export class Tracing implements OnApplicationShutdown {
  private readonly slowMs: number;

  constructor(
    private readonly traces: Traces | undefined,
    slowMs: number | undefined,
    private readonly logger: Logger,
  ) {
    this.slowMs = slowMs ?? Infinity;
  }

  /** Whether statements are recorded one by one. */
  get keepsStatements(): boolean {
    return this.traces !== undefined || this.slowMs < Infinity;
  }

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
    if (this.traces) {
      const { name = `job ${kind}`, ...options } = optionsOf();
      return duringSpan(this.traces.begin(name, { kind: 'consumer', ...options }), doIt);
    }
    const span = undefined;
    return this.keepsStatements ? asWork({ span, spent: new Spent(true) }, doIt) : doIt();
  }

  /** Logs work that took longer than allowed, with its statements but without their values. */
  tellSlow(ms: number, spent: Spent | undefined, line: object): void {
    if (ms < this.slowMs) return;
    const statements = spent?.all.flatMap(({ sql, wantedAt, begunAt, endedAt }) =>
      sql === undefined ? [] : { sql, ms: rounded(endedAt - begunAt), wait_ms: rounded(begunAt - wantedAt) },
    );
    this.logger.warn({ ...line, statements }, 'slow');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.traces?.close();
  }
}

/** Milliseconds as the log shows them. */
export const rounded = (ms: number): number => Math.round(ms * 10) / 10;

/** Loads the SDK only if traces are on; throws if they are on and the SDK is not installed. */
export async function openTracing({ tracesUrl, slowMs }: Config, logger: Logger): Promise<Tracing> {
  if (tracesUrl === undefined) return new Tracing(undefined, slowMs, logger);
  const { openTraces } = await import('./open-telemetry.js').catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing ? new Error(NOT_INSTALLED) : error;
  });
  return new Tracing(openTraces(tracesUrl, logger), slowMs, logger);
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: run npm ci without --omit=optional, or unset it.';
