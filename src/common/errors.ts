import { english, type Message } from './message.js';

/** Why a request is refused; only `error.filter.ts` knows the status of each. */
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

/** An error with a reason for people; its `message` is in English, for the log. */
export class TellingError extends Error {
  constructor(readonly said: Message) {
    super(english(said));
  }
}

/** A refusal that its caller can understand and act on. */
export class Refusal extends TellingError {
  constructor(
    readonly kind: RefusalKind,
    said: Message,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(said);
  }
}

/** Also refuses things of other workspaces, so `detail` may name the key's own workspace only. */
export function notFound(detail: Message = 'There is nothing here that this key can see.'): Refusal {
  return new Refusal('not-found', detail);
}

/** The task is not, or no longer, in the state that the request requires. */
export function preconditionFailed(
  detail: Message = 'The task has changed since: GET it again and send its new ETag.',
): Refusal {
  return new Refusal('precondition-failed', detail);
}

/** A refusal (503) of a request that may succeed later. */
export function unavailable(detail: Message): Refusal {
  return new Refusal('unavailable', detail, { 'Retry-After': '1' });
}

/** Makes the refusals of a semaphore, for callers that waited too long. */
export function busy(detail: Message): () => Refusal {
  return () => unavailable(detail);
}

/** Only an error's message: other properties may hold the values of a statement, or an address with a password. */
export function reasonOf(error: unknown): string {
  // A host name with several addresses may fail for a different reason at each.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The data that the work had read has changed. If the work starts anew, it may succeed. */
export class TryAgain extends Error {}

/** An execution that could not start, with one message for each reason. */
export class RefusedExecution extends Error {
  constructor(readonly errors: readonly Message[]) {
    super('the execution is refused');
  }
}
