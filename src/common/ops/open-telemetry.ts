import { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import {
  defaultResource,
  detectResources,
  envDetector,
  processDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node';
import pg from 'pg';
import { type Logger } from '../logger.js';
import { serviceVersion } from '../version.js';

/**
 * Sends traces to this URL with OpenTelemetry's SDK, which reads the other `OTEL_…` variables itself. The SDK
 * queues at most 2,048 spans, and drops spans that the collector does not accept in time. Logs dropped spans
 * at most once a minute. Returns a function that sends the remaining spans within 3 s and ends the tracing.
 */
export function openTraces(url: string, logger: Logger): () => Promise<void> {
  logFailures(logger);
  const provider = new NodeTracerProvider({
    // Uses only these detectors, because cloud detectors would send requests over the network.
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': 'workflow-task-service',
          'service.version': serviceVersion,
        }),
      ) // prettier-ignore
      .merge(detectResources({ detectors: [processDetector, envDetector] })),
    spanProcessors: [withoutMessages, new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  // Passes on only the trace context, because the baggage of clients would reach other systems.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  const requests = new Requests(requestOptions);
  const statements = new Statements({ requireParentSpan: true, ignoreConnectSpans: true });
  requests.attach();
  statements.attach();
  return async () => {
    await Promise.race([
      provider.shutdown().catch(() => undefined),
      pause(CLOSE_MS, undefined, { ref: false }),
    ]);
    requests.detach();
    statements.detach();
    for (const api of [trace, context, propagation, diag]) api.disable();
  };
}

const CLOSE_MS = 3000;

/** If spans cannot be sent, logs one sentence about it, at most once a minute. */
function logFailures(logger: Logger): void {
  let loggedAt = -Infinity;
  const warn = (reason: string): void => {
    if (performance.now() - loggedAt < 60_000) return;
    loggedAt = performance.now();
    logger.warn({ reason }, 'traces cannot be sent');
  };
  const none = (): void => undefined;
  const sink = { verbose: none, debug: none, info: none, warn, error: warn };
  diag.setLogger(sink, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler((fault) => {
    warn(fault instanceof Error ? fault.message || fault.name : 'unknown');
  });
}

/** Removes error messages and events from spans, because these may contain customer data. */
const withoutMessages: SpanProcessor = {
  onStart: () => undefined,
  onEnd({ status, events }) {
    delete status.message;
    events.length = 0;
  },
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

/**
 * Omits attributes that identify the client. Also omits paths and queries, because these contain ids and
 * sign-in links.
 */
const requestOptions = {
  disableOutgoingRequestInstrumentation: true,
  startIncomingSpanHook: () => ({
    'url.path': undefined,
    'url.query': undefined,
    'client.address': undefined,
    'network.peer.address': undefined,
    'network.peer.port': undefined,
    'user_agent.original': undefined,
  }),
};

// By itself, OpenTelemetry patches a module at the moment when the module is being loaded. The imports above
// have already loaded these modules, so `attach` patches them.

class Requests extends HttpInstrumentation {
  attach(): void {
    for (const { name, patch } of this.init()) if (name === 'http') patch?.({ Server });
  }

  detach(): void {
    for (const { name, unpatch } of this.init()) if (name === 'http') unpatch?.({ Server });
  }
}

class Statements extends PgInstrumentation {
  attach(): void {
    for (const { name, patch } of this.init()) if (name === 'pg') patch?.(pg);
  }

  detach(): void {
    for (const { name, unpatch } of this.init()) if (name === 'pg') unpatch?.(pg);
  }
}
