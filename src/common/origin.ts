import { traceHeaders } from './trace.js';

/** A key by a request, or an execution that a request started; with its performer, if it has one. */
export interface Source {
  readonly key?: string | undefined;
  readonly request?: string | undefined;
  /** How the request came, if not by the HTTP API. */
  readonly via?: 'mcp' | undefined;
  readonly execution?: string | undefined;
  readonly action?: string | undefined;
  /** The internal id of the workflow of the action. */
  readonly workflow?: number;
  /** The internal id of the performer. */
  readonly user?: string | undefined;
  /** Whether the key acts as a user. Events then name both, including events of executions that the key starts. */
  readonly isBound?: true | undefined;
  readonly cause?: Cause | undefined;
  /** The form by which somebody outside made the change, with the reference shown to them. */
  readonly form?: FormSource | undefined;
  /** The `traceparent` of the request or execution, if traces are on. */
  readonly trace?: string | undefined;
  /** Whether the change starts no rule and notifies nobody. */
  readonly silent?: boolean | undefined;
}

export interface FormSource {
  readonly id: string;
  readonly reference: string;
}

/** The origin of a request's or execution's changes, as the database records it with their events. */
export class Origin {
  constructor(readonly source: Source) {}

  /** The value of the setting `wts.origin`. */
  get text(): string {
    const { traceparent: trace } = traceHeaders();
    return JSON.stringify(trace === undefined ? this.source : { ...this.source, trace });
  }
}

/** The id of an event as clients see it. */
export function shownEventId(id: string): string {
  return `evt_${id.replaceAll('-', '')}`;
}

/** What started the execution behind a change, other than a person or a client. */
export interface Cause {
  readonly kind: string;
  readonly id: string;
  /** The internal id of its workflow. Clients do not see it. */
  readonly workflow?: number | undefined;
  /** The public id of the event that started it. */
  readonly event: string | null;
  /** The rules that triggered each other, in order, each with the task of its event. */
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change started it, if there is one. Clients do not see it. */
  readonly initiator?: string | undefined;
}

export interface ChainLink {
  readonly rule: string;
  /** The internal id of its workflow. Clients do not see it. */
  readonly workflow?: number | undefined;
  /** The id in its `Task URL`. */
  readonly task: string;
}

/** The origin of an event: an `Origin`, or an applied definition. */
export interface EventSource extends Source {
  readonly definition?: number;
  readonly name?: string;
}

/** Parses the origin of an event. A client that writes by SQL may have set it to anything. */
export function sourceOf(origin: string | null): EventSource {
  if (origin === null) return {};
  try {
    const source: unknown = JSON.parse(origin);
    return typeof source === 'object' && source !== null ? source : {};
  } catch {
    return {};
  }
}
