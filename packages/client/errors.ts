/** What the service said when it refused: a problem document, or what was wrong field by field. */
export interface Refused {
  readonly status: number;
  /** The request in the log of the service; undefined where no answer came. */
  readonly requestId: string | undefined;
  /** The body of the answer as it was read; undefined where no answer came. */
  readonly body: unknown;
  /** Whether an earlier try of the same call was cut off, and may have been carried out. */
  readonly isRepeated: boolean;
}

/** A call that was refused, or could not be made. Its class says how; a status without a class of its own has this one. */
export class WtsError extends Error implements Refused {
  override readonly name: string = 'WtsError';
  /** 0 where no answer came. */
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

/** 404: there is no such thing, or the key does not know it. */
export class NotFound extends WtsError {
  override readonly name = 'NotFound';
}

/** 409: another request, or what happened meanwhile, stands in the way. */
export class Conflict extends WtsError {
  override readonly name = 'Conflict';
}

/** 412: the task has another version, is there, or is not there. */
export class PreconditionFailed extends WtsError {
  override readonly name = 'PreconditionFailed';
}

/** 422: what was sent is wrong. */
export class ValidationError extends WtsError {
  override readonly name = 'ValidationError';

  constructor(
    message: string,
    refused: Refused,
    /** Messages by the name of the field or parameter; what belongs to none stands under `base`. */
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
    /** What is not met, in sentences. */
    readonly unmet: readonly string[],
  ) {
    super(message, refused);
  }
}

/** 429, until the deadline. */
export class TooManyRequests extends WtsError {
  override readonly name = 'TooManyRequests';
}

/** 408, 502, 503, 504 or no answer at all (status 0), until the deadline. */
export class Unavailable extends WtsError {
  override readonly name = 'Unavailable';
}

/** 410: what stood behind the cursor is no longer kept. 422: it is no cursor of this feed. */
export class CursorExpired extends WtsError {
  override readonly name = 'CursorExpired';

  constructor(
    message: string,
    refused: Refused,
    /** Gives a cursor of now. List all tasks after it came, then follow from it: so nothing is missed. */
    readonly resync: () => Promise<string>,
  ) {
    super(message, refused);
  }
}

/** A webhook that the service has not sent, or not lately. */
export class WebhookInvalid extends Error {
  override readonly name = 'WebhookInvalid';
}
