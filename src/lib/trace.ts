import { AsyncLocalStorage } from 'node:async_hooks';
import { Spent } from '../../packages/fair/spent.js';

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** What is known of a span when it begins. */
export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** The `traceparent` of what it is a part of, where that was not here; one that cannot be read begins a trace. */
  readonly parent?: string | undefined;
  /** Whether it is a trace of its own. */
  readonly isRoot?: boolean;
  /** The `traceparent` of what caused it. */
  readonly link?: string | undefined;
  /** Milliseconds of `performance.now()`; now unless told otherwise. */
  readonly at?: number;
}

/** How a span ended. */
export interface SpanEnd {
  readonly name?: string | undefined;
  readonly attributes?: Attributes;
  /** What kind of fault it ended with: a class or a status, never a message. */
  readonly fault?: string | undefined;
  readonly at?: number;
}

/** A piece of work as traces tell of it. */
export interface Span {
  /** By which others continue its trace (W3C Trace Context). */
  readonly traceparent: string;
  begin(name: string, options?: SpanOptions): Span;
  end(end?: SpanEnd): void;
}

/** Where traces go. */
export interface Traces {
  /** Begins a trace, or continues the one of `parent`. */
  begin(name: string, options: SpanOptions): Span;
  /** Sends what is left, for 3 s at most. */
  close(): Promise<void>;
}

/** What is under way, and what it has taken of the database so far. */
export interface WorkHere {
  readonly span: Span | undefined;
  readonly spent: Spent;
  /** The `traceparent` of what caused what is changed here, where that is not the span. */
  readonly cause?: string | undefined;
}

const here = new AsyncLocalStorage<WorkHere | undefined>();

/** The work that this is done for; undefined where nobody wants to know. To ask is free until somebody does. */
export const workHere = (): WorkHere | undefined => here.getStore();

/** The `traceparent` of the work that this is done for, where traces are on. */
export const traceHere = (): string | undefined => here.getStore()?.span?.traceparent;

/** The `traceparent` that what is changed here keeps: that of what causes it. */
export const traceOfCause = (): string | undefined => here.getStore()?.cause ?? traceHere();

/** Does what this has caused, where traces are on. */
export function causedBy<T>(cause: string | undefined, doIt: () => T): T {
  const work = here.getStore();
  return work?.span && cause !== undefined ? here.run({ ...work, cause }, doIt) : doIt();
}

/** What a request carries to another system, so that its trace goes on there. */
export function traceHeaders(): { readonly traceparent?: string } {
  const traceparent = traceHere();
  return traceparent === undefined ? {} : { traceparent };
}

/** Does something as this work. */
export function asWork<T>(work: WorkHere, doIt: () => T): T {
  return here.run(work, doIt);
}

/** The function, done for the work that is under way here now, whoever calls it. */
export function forWorkHere<T>(doIt: () => T): () => T {
  const work = here.getStore();
  return work ? () => here.run(work, doIt) : doIt;
}

/** Begins what nothing that is under way here waits for. */
export function apart<T>(doIt: () => T): T {
  return here.getStore() ? here.run(undefined, doIt) : doIt();
}

/** Does what several pieces of work asked for at once; what it takes is counted apart. */
export function asShared<T>(spent: Spent, doIt: () => T): T {
  const work = here.getStore();
  return work ? here.run({ ...work, spent }, doIt) : doIt();
}

/** Waits for something that is looked up for all who want it: where statements are not counted one by one, as a wait. */
export async function lookedUp<T>(spent: Spent | undefined, found: Promise<T>): Promise<T> {
  const wantedAt = performance.now();
  try {
    return await found;
  } finally {
    if (!workHere()) spent?.noteWait(wantedAt);
  }
}

/** Tells what a span ends with. */
type Tell = (attributes: Attributes) => void;

/** Does work as a span of what is under way here; where traces are off it is just done. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  doIt: (tell: Tell) => Promise<T>,
): Promise<T> {
  const span = here.getStore()?.span?.begin(name, options);
  return span ? duringSpan(span, doIt) : doIt(() => undefined);
}

/** Does work as this span, which ends with it. */
export async function duringSpan<T>(span: Span, doIt: (tell: Tell) => Promise<T>): Promise<T> {
  const spent = new Spent(true);
  let attributes: Attributes = {};
  let fault: string | undefined;
  try {
    return await here.run({ span, spent }, () => doIt((told) => (attributes = { ...attributes, ...told })));
  } catch (error) {
    fault = classOf(error);
    throw error;
  } finally {
    endSpan(span, spent, { attributes, fault });
  }
}

/** The class of an error: what it says may hold what somebody wrote. */
function classOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}

/** Ends a span, with one for each statement that it took and one for each wait. */
export function endSpan(span: Span, spent: Spent, end: SpanEnd): void {
  for (const { sql, name, wantedAt, begunAt, endedAt } of spent.all) {
    if (begunAt - wantedAt >= SHORTEST_WAIT_MS)
      span.begin(sql === undefined ? 'wait for a turn' : 'wait for a connection', { at: wantedAt }).end({ at: begunAt }); // prettier-ignore
    if (sql === undefined) continue;
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql, 'db.query.summary': name };
    span.begin(name ?? 'postgresql', { kind: 'client', attributes, at: begunAt }).end({ at: endedAt });
  }
  span.end(end);
}

const SHORTEST_WAIT_MS = 0.1;
