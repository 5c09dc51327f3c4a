import { traceHeaders } from './trace.js';

/** What made a change: a key, a form or an execution, for example. Also names the performer, if any. */
export interface Source {
  readonly key?: string | undefined;
  readonly request?: string | undefined;
  /** Set if the request came through MCP instead of the HTTP API. */
  readonly via?: 'mcp' | undefined;
  readonly execution?: string | undefined;
  readonly action?: string | undefined;
  /** The internal id of the workflow of the action. */
  readonly workflow?: number;
  /** The internal id of the performer. */
  readonly user?: string | undefined;
  /** Whether the key acts as a user. If so, events of the key and of its executions contain both names. */
  readonly isBound?: true | undefined;
  readonly cause?: Cause | undefined;
  /** The form through which an outsider made the change, and the reference that the form showed. */
  readonly form?: { readonly id: string; readonly reference: string } | undefined;
  /** The `traceparent` of the request or execution, if traces are on. */
  readonly trace?: string | undefined;
  /** Whether the change starts no rule and notifies nobody. */
  readonly silent?: boolean | undefined;
}

/** The origin of all changes of one request or execution. The event of each change stores the origin. */
export class Origin {
  constructor(readonly source: Source) {}

  /** The text for PostgreSQL's setting `wts.origin`. Triggers copy it into the events that they record. */
  get text(): string {
    const { traceparent: trace } = traceHeaders();
    return JSON.stringify(trace === undefined ? this.source : { ...this.source, trace });
  }
}

/** The id of an event as clients see it. */
export function shownEventId(id: string): string {
  return `evt_${id.replaceAll('-', '')}`;
}

/** What started the execution that made a change: for example, a rule. Never a person or a client. */
export interface Cause {
  readonly kind: string;
  readonly id: string;
  /** The internal id of the starter's workflow. Never sent to clients. */
  readonly workflow?: number | undefined;
  /** The public id of the event that started the execution. */
  readonly event: string | null;
  /** The rules that triggered each other, in order, each with the task whose event triggered the rule. */
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change started the execution, if any. Never sent to clients. */
  readonly initiator?: string | undefined;
}

export interface ChainLink {
  readonly rule: string;
  /** The internal id of the rule's workflow. Never sent to clients. */
  readonly workflow?: number | undefined;
  /** The id in the task's `Task URL`. */
  readonly task: string;
}

/** The source of an event. `definition` is the version that was applied, and `name` tells who applied it. */
export interface EventSource extends Source {
  readonly definition?: number;
  readonly name?: string;
}

/** Parses the origin of an event. Returns {} for an invalid text, which a client may have set by SQL. */
export function sourceOf(origin: string | null): EventSource {
  if (origin === null) return {};
  try {
    const source: unknown = JSON.parse(origin);
    return typeof source === 'object' && source !== null ? source : {};
  } catch {
    return {};
  }
}
