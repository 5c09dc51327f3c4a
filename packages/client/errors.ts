/** What the client knows about a failed call: the answer of the service, if any. */
export interface Refused {
  readonly status: number;
  /** The id of the request in the service's log; undefined without an answer. */
  readonly requestId: string | undefined;
  /** The parsed body of the answer; undefined without an answer. */
  readonly body: unknown;
  /** Whether an earlier try of the same call broke off, and may have been carried out. */
  readonly isRepeated: boolean;
}

/** A call failed. Most failures have a subclass. The other failures are instances of this class itself. */
export class WtsError extends Error implements Refused {
  override readonly name: string = 'WtsError';
  /** 0 if there was no answer. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly body: unknown;
  readonly isRepeated: boolean;

  constructor(message: string, refused: Refused, options?: { readonly cause?: unknown }) {
    super(message, options);
    const { status, requestId, body, isRepeated } = refused;
    [this.status, this.requestId, this.body, this.isRepeated] = [status, requestId, body, isRepeated];
  }
}

/** 404: the object does not exist, or the key cannot see it. */
export class NotFound extends WtsError {
  override readonly name = 'NotFound';
}

/** 409: the request is in conflict with another request or with a change. */
export class Conflict extends WtsError {
  override readonly name = 'Conflict';
}

/** 412: the task does not meet the condition in `If-Match` or `If-None-Match`. */
export class PreconditionFailed extends WtsError {
  override readonly name = 'PreconditionFailed';
}

/** 422: the input is invalid. */
export class ValidationError extends WtsError {
  override readonly name = 'ValidationError';

  constructor(
    message: string,
    refused: Refused,
    /** Messages by the name of the field or parameter. Messages without a field are under `base`. */
    readonly errors: Readonly<Record<string, readonly string[]>>,
  ) {
    super(message, refused);
  }
}

/** 422: the action cannot be performed now. */
export class NotPossible extends WtsError {
  override readonly name = 'NotPossible';

  constructor(
    message: string,
    refused: Refused,
    /** The unmet requirements, in sentences. */
    readonly unmet: readonly string[],
  ) {
    super(message, refused);
  }
}

/** 429: the key has sent too many requests. Thrown when no time remains for another try. */
export class TooManyRequests extends WtsError {
  override readonly name = 'TooManyRequests';
}

/** 408, 502, 503, 504 or no answer (status 0), after the last try. */
export class Unavailable extends WtsError {
  override readonly name = 'Unavailable';
}

/** 410: events after the cursor are no longer stored. 422: the cursor is not of this feed. */
export class CursorExpired extends WtsError {
  override readonly name = 'CursorExpired';

  constructor(
    message: string,
    refused: Refused,
    /** Returns a cursor at the end of the feed. Before you follow from the cursor, list all tasks. */
    readonly resync: () => Promise<string>,
  ) {
    super(message, refused);
  }
}

/** The service did not sign this webhook, or the webhook is too old or from the future. */
export class WebhookInvalid extends Error {
  override readonly name = 'WebhookInvalid';
}
