import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export interface SpanOptions {
  readonly kind?: 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** The `traceparent` of a parent in another process. An invalid `traceparent` begins a new trace. */
  readonly parent?: string | undefined;
}

const kinds = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/** The headers that let another system continue the current trace; none if traces are off. */
export function traceHeaders(): { readonly traceparent?: string } {
  const headers: { traceparent?: string } = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Returns a function that runs in the trace that is current now, whoever calls the function. */
export function forWorkHere<T>(doIt: () => T): () => T {
  return context.bind(context.active(), doIt);
}

/** Runs work outside the current trace, because the traced request only triggers this work. */
export function apart<T>(doIt: () => T): T {
  return context.with(ROOT_CONTEXT, doIt);
}

/** Runs work as a span of the current trace, or of the trace of `parent`. Without traces, makes no span. */
export function inSpan<T>(
  name: string,
  { kind, attributes = {}, parent }: SpanOptions,
  doIt: (span: Span) => Promise<T>,
): Promise<T> {
  const around =
    parent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  const tracer = trace.getTracer('workflow-task-service');
  const options = { ...(kind && { kind: kinds[kind] }), attributes };
  return tracer.startActiveSpan(name, options, around, async (span) => during(span, doIt));
}

async function during<T>(span: Span, doIt: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await doIt(span);
  } catch (error) {
    span.setAttribute('error.type', classOf(error)).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** The class of an error, without its message, which may contain customer data. */
function classOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
