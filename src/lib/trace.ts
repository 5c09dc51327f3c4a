import { AsyncLocalStorage } from 'node:async_hooks';

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** The properties of a span at its beginning. */
export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** The `traceparent` of the parent, if that is in another process; an invalid one begins a new trace. */
  readonly parent?: string | undefined;
  /** Whether it starts a trace of its own. */
  readonly isRoot?: boolean;
  /** The `traceparent` of its cause. */
  readonly link?: string | undefined;
  /** Milliseconds of `performance.now()`; now by default. */
  readonly at?: number;
}

/** How a span ended. */
export interface SpanEnd {
  readonly name?: string | undefined;
  readonly attributes?: Attributes;
  /** The kind of the fault: a class or a status, never a message. */
  readonly fault?: string | undefined;
  readonly at?: number;
}

/** A piece of work in a trace. */
export interface Span {
  /** Lets other processes continue the trace (W3C Trace Context). */
  readonly traceparent: string;
  begin(name: string, options?: SpanOptions): Span;
  end(end?: SpanEnd): void;
}

export interface Traces {
  /** Begins a trace, or continues the one of `parent`. */
  begin(name: string, options: SpanOptions): Span;
  /** Sends the remaining spans, for 3 s at most. */
  close(): Promise<void>;
}

/** The work under way. */
interface Work {
  readonly span: Span;
  /** The `traceparent` of the cause of changes, if that is not the span. */
  readonly cause?: string | undefined;
}

const here = new AsyncLocalStorage<Work | undefined>();

/** Whether the work under way is part of a trace. */
export const isTraced = (): boolean => here.getStore() !== undefined;

/** The `traceparent` of the work under way, if traces are on. */
export const traceHere = (): string | undefined => here.getStore()?.span.traceparent;

/** The `traceparent` that changes store: that of their cause. */
export const traceOfCause = (): string | undefined => here.getStore()?.cause ?? traceHere();

/** Runs this with a cause for its changes, if traces are on. */
export function causedBy<T>(cause: string | undefined, doIt: () => T): T {
  const work = here.getStore();
  return work && cause !== undefined ? here.run({ ...work, cause }, doIt) : doIt();
}

/** The headers that let another system continue the trace. */
export function traceHeaders(): { readonly traceparent?: string } {
  const traceparent = traceHere();
  return traceparent === undefined ? {} : { traceparent };
}

/** Runs this as a part of that span. */
export function withSpan<T>(span: Span, doIt: () => T): T {
  return here.run({ span }, doIt);
}

/** Binds the function to the work under way here, whoever calls it. */
export function forWorkHere<T>(doIt: () => T): () => T {
  const work = here.getStore();
  return work ? () => here.run(work, doIt) : doIt;
}

/** Starts work that nothing under way here waits for. */
export function apart<T>(doIt: () => T): T {
  return here.getStore() ? here.run(undefined, doIt) : doIt();
}

/** Adds attributes to the end of a span. */
type Tell = (attributes: Attributes) => void;

/** Runs work as a span of the work under way; without traces, just runs it. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  doIt: (tell: Tell) => Promise<T>,
): Promise<T> {
  const span = here.getStore()?.span.begin(name, options);
  return span ? duringSpan(span, doIt) : doIt(() => undefined);
}

/** Runs work as this span, and ends the span with it. */
export async function duringSpan<T>(span: Span, doIt: (tell: Tell) => Promise<T>): Promise<T> {
  let attributes: Attributes = {};
  let fault: string | undefined;
  try {
    return await withSpan(span, () => doIt((told) => (attributes = { ...attributes, ...told })));
  } catch (error) {
    fault = classOf(error);
    throw error;
  } finally {
    span.end({ attributes, fault });
  }
}

/** Only the class of an error: its message may hold customer data. */
function classOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
