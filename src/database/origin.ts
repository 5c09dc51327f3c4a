import { randomUUID } from 'node:crypto';
import { traceOfCause } from '../lib/trace.js';
import { type Cause } from '../entities/cause.js';

/** Who changes something: a key by a request, or an execution that was begun by one, for a user where it has a performer. */
export interface Source {
  readonly key?: string | undefined;
  readonly request?: string | undefined;
  /** What carried the request, where it was not the HTTP API; of what was deleted and is there again, the bin. */
  readonly via?: 'mcp' | 'bin' | undefined;
  readonly execution?: string;
  readonly action?: string;
  /** The internal id of the performer. */
  readonly user?: string | undefined;
  /** Whether the key acts as a user: it is told of with them, also in what its executions do. */
  readonly isBound?: true | undefined;
  readonly cause?: Cause | undefined;
  /** The `traceparent` of what changes it, where traces are on. */
  readonly trace?: string | undefined;
  /** Whether no rule is to follow and nobody is to be notified. */
  readonly silent?: boolean | undefined;
}

/** Where the changes of a request or of an execution come from, as the database records it with their events. */
export class Origin {
  /** The id of the last event that they made. */
  lastEvent: string | undefined;

  constructor(readonly source: Source) {}

  /** What the setting `wts.origin` is while they are made. */
  get text(): string {
    const trace = traceOfCause();
    return JSON.stringify(trace === undefined ? this.source : { ...this.source, trace });
  }

  /** The id that the first event of the next statement gets, in front of the origin. */
  announce(): Announced {
    const id = randomUUID();
    return { id, text: id + this.text };
  }
}

export interface Announced {
  readonly id: string;
  readonly text: string;
}

/** The id of an event as clients see it. */
export function shownEventId(id: string): string {
  return `evt_${id.replaceAll('-', '')}`;
}
