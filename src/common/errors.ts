import { english, type Message } from './message.js';

/** The reason for a refusal. `error.filter.ts` maps each kind to an HTTP status. */
export type RefusalKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'managed-by-definition'
  | 'cursor-expired'
  | 'idempotency-key-in-use'
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'range-not-satisfiable'
  | 'too-many-requests'
  | 'unavailable';

/** An error with a translatable message for people. Its `message` is the English text, for the log. */
export class TellingError extends Error {
  constructor(readonly said: Message) {
    super(english(said));
  }
}

/** A refused request. The message tells the caller the reason. */
export class Refusal extends TellingError {
  constructor(
    readonly kind: RefusalKind,
    said: Message,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(said);
  }
}

/** A refusal (404): no such object exists, or another workspace has it. `detail` must not say which. */
export function notFound(detail: Message = 'There is nothing here that this key can see.'): Refusal {
  return new Refusal('not-found', detail);
}

/** A refusal (412): the task is not in the version that the request requires. */
export function preconditionFailed(
  detail: Message = 'The task has changed: GET it again and send its new ETag.',
): Refusal {
  return new Refusal('precondition-failed', detail);
}

/** A refusal (503) of a request that may succeed later. */
export function unavailable(detail: Message): Refusal {
  return new Refusal('unavailable', detail, { 'Retry-After': '1' });
}

/** Returns a function that makes a refusal (503), for a semaphore that turns callers away. */
export function busy(detail: Message): () => Refusal {
  return () => unavailable(detail);
}

/** Returns only the message of an error. Other properties may contain a password or values of a statement. */
export function reasonOf(error: unknown): string {
  // Each address of a host name may fail for a different reason.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Thrown if data has changed since the work read it. A retry of the whole work may succeed. */
export class TryAgain extends Error {}

/** An execution that could not start, with one message for each reason. */
export class RefusedExecution extends Error {
  constructor(readonly errors: readonly Message[]) {
    super('the execution is refused');
  }
}

/** An execution that could not start because its request is wrong: the same request never succeeds. */
export class InvalidStart extends RefusedExecution {}
