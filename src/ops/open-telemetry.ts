import {
  type Attributes as SentAttributes,
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as SentSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  processDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { type Logger } from '../lib/logger.js';
import { type Attributes, type Span, type SpanEnd, type SpanOptions, type Traces } from '../lib/trace.js';
import { serviceVersion } from '../lib/version.js';

/**
 * Sends traces to this address with OpenTelemetry's SDK, which reads the other `OTEL_…` variables itself. At most
 * 2,048 spans wait; spans that the collector does not accept in time are dropped, and logged once a minute.
 */
export function openTraces(url: string, logger: Logger): Traces {
  const complain = oncePerMinute((reason) => {
    logger.warn({ reason }, 'traces cannot be sent');
  });
  const none = (): void => undefined;
  const told = { verbose: none, debug: none, info: none, warn: complain, error: complain };
  diag.setLogger(told, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new BasicTracerProvider({
    // Cloud detectors would send requests over the network.
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': 'workflow-task-service',
          'service.version': serviceVersion,
        }),
      ) // prettier-ignore
      .merge(detectResources({ detectors: [processDetector, envDetector] })),
    spanProcessors: [new BatchSpanProcessor(patient(new OTLPTraceExporter({ url }), complain))],
  });
  const tracer = provider.getTracer('workflow-task-service', serviceVersion);
  const close = async (): Promise<void> => {
    let late: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => (late = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([provider.shutdown().catch(none), isLate]);
    clearTimeout(late);
  };
  return { begin: (name, options) => begin(tracer, name, options, ROOT_CONTEXT), close };
}

const CLOSE_MS = 3000;

/** An exporter that logs its failures in one sentence; the SDK would log every detail of each. */
function patient(exporter: SpanExporter, complain: (reason: string) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) complain(result.error.message || result.error.name);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function oncePerMinute(tell: (text: string) => void): (text: string) => void {
  let toldAt = -Infinity;
  return (text) => {
    if (performance.now() - toldAt < 60_000) return;
    toldAt = performance.now();
    tell(text);
  };
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

function begin(
  tracer: Tracer,
  name: string,
  { kind, attributes = {}, parent, isRoot = false, link, at }: SpanOptions,
  around: Context,
): Span {
  const linked = contextOf(link);
  const known = contextOf(parent);
  const options = {
    kind: kind ? kinds[kind] : SpanKind.INTERNAL,
    attributes: present(attributes),
    ...(linked && { links: [{ context: linked }] }),
    ...(at !== undefined && { startTime: instantOf(at) }),
    root: isRoot,
  };
  const context = known ? trace.setSpanContext(ROOT_CONTEXT, known) : around;
  return new SpanOfTracer(tracer, tracer.startSpan(name, options, context));
}

class SpanOfTracer implements Span {
  constructor(
    private readonly tracer: Tracer,
    private readonly span: SentSpan,
  ) {}

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  begin(name: string, options: SpanOptions = {}): Span {
    return begin(this.tracer, name, options, trace.setSpan(ROOT_CONTEXT, this.span));
  }

  end({ name, attributes = {}, fault, at }: SpanEnd = {}): void {
    if (name !== undefined) this.span.updateName(name);
    this.span.setAttributes(present({ ...attributes, 'error.type': fault }));
    if (fault !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end(at === undefined ? undefined : instantOf(at));
  }
}

/** Milliseconds since 1970. */
const instantOf = (at: number): number => performance.timeOrigin + at;

function present(attributes: Attributes): SentAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** Parses a `traceparent` (W3C Trace Context §3.2); undefined if it is invalid. */
function contextOf(traceparent: string | undefined) {
  const [, traceId, spanId, flags] = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(traceparent ?? '') ?? []; // prettier-ignore
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & 1, isRemote: true };
}
