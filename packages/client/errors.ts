/** A refusal of the service: a problem document, or the faults of each field. */
export interface Refused {
  readonly status: number;
  /** The id of the request in the service's log; undefined if there was no answer. */
  readonly requestId: string | undefined;
  /** The body of the answer as it was read; undefined if there was no answer. */
  readonly body: unknown;
  /** Whether an earlier try of the same call was cut off, and may have been carried out. */
  readonly isRepeated: boolean;
}

/** A call was refused, or could not be made. The subclass tells how; this class itself stands for any other status. */
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

/** 404: it does not exist, or the key does not know it. */
export class NotFound extends WtsError {
  override readonly name = 'NotFound';
}

/** 409: another request, or a change in the meantime, prevents it. */
export class Conflict extends WtsError {
  override readonly name = 'Conflict';
}

/** 412: the task has another version, exists, or does not exist. */
export class PreconditionFailed extends WtsError {
  override readonly name = 'PreconditionFailed';
}

/** 422: the input is invalid. */
export class ValidationError extends WtsError {
  override readonly name = 'ValidationError';

  constructor(
    message: string,
    refused: Refused,
    /** Messages by the name of the field or parameter. Those without a field are under `base`. */
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

/** 429, still when the deadline was reached. */
export class TooManyRequests extends WtsError {
  override readonly name = 'TooManyRequests';
}

/** 408, 502, 503, 504 or no answer at all (status 0), still when the deadline was reached. */
export class Unavailable extends WtsError {
  override readonly name = 'Unavailable';
}

/** 410: events after the cursor are no longer kept. 422: it is not a cursor of this feed. */
export class CursorExpired extends WtsError {
  override readonly name = 'CursorExpired';

  constructor(
    message: string,
    refused: Refused,
    /** Returns a cursor for now. To miss nothing, list all tasks once you have the cursor, and then follow from it. */
    readonly resync: () => Promise<string>,
  ) {
    super(message, refused);
  }
}

/** The service did not send this webhook, or not recently. */
export class WebhookInvalid extends Error {
  override readonly name = 'WebhookInvalid';
}
