import { Readable } from 'node:stream';
import { type Dispatcher } from 'undici';
import { failureOf, OutboundFailure } from './failure.js';

/** The most informational answers (1xx) that may precede an answer. */
const MAX_INFORMATIONAL = 16;

export interface HttpAnswer {
  readonly status: number;
  /** By name in lower case. Repeated headers are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Must be read or destroyed; fails with an `OutboundFailure`. */
  readonly body: Readable;
}

/** Receives one answer from undici, counts its bytes, and passes its body on as fast as it is read. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  /** Rejects with an `OutboundFailure`. */
  readonly answer: Promise<HttpAnswer>;
  private readonly body: Readable;
  private controller: Dispatcher.DispatchController | undefined;
  private informational = 0;
  private isAnswered = false;
  private bytes = 0;
  private resolve: (answer: HttpAnswer) => void = () => undefined;
  private reject: (failure: OutboundFailure) => void = () => undefined;

  constructor(
    private readonly maxBytes: number,
    private readonly signal: AbortSignal,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.body = new Readable({
      // As much as undici reads at once; undici would keep in memory what it cannot pass on.
      highWaterMark: 65_536,
      // In a later round of the event loop, so that a server that sends many small chunks does not fill this one.
      read: () => setImmediate(() => this.controller?.resume()),
      destroy: (error, done) => {
        signal.removeEventListener('abort', this.interrupt);
        this.controller?.abort(error ?? new OutboundFailure('interrupted'));
        done(error);
      },
    });
    // The reader gets the error. If there is no reader, the error must not end the process.
    this.body.on('error', () => undefined);
    signal.addEventListener('abort', this.interrupt);
    if (signal.aborted) this.interrupt();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.body.destroyed) controller.abort(new OutboundFailure('interrupted'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.isAnswered = status >= 200;
    if (!this.isAnswered) {
      this.informational += 1;
      if (this.informational > MAX_INFORMATIONAL) this.fail(tooManyAnswers());
      return;
    }
    const answer = { status, headers: joined(headers), body: this.body };
    this.resolve(answer);
    if (isEncoded(answer)) this.fail(new OutboundFailure('encoded answer'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) this.fail(tooLarge(this.maxBytes));
    else if (!this.body.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.signal.removeEventListener('abort', this.interrupt);
    this.body.push(null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  private readonly interrupt = (): void => {
    this.fail(new Error('the signal was aborted'));
  };

  /** Ends the connection. Before the answer the caller gets the failure; after it, the reader of the body. */
  private fail(error: Error): void {
    const failure = failureOf(error, this.signal, this.isAnswered ? 'incomplete' : 'unreachable');
    this.reject(failure);
    this.body.destroy(failure);
  }
}

const tooManyAnswers = (): OutboundFailure =>
  new OutboundFailure(
    'invalid answer',
    `the server sent more than ${MAX_INFORMATIONAL} informational answers`,
  );

export function tooLarge(maxBytes: number): OutboundFailure {
  return new OutboundFailure('too large', `it is larger than ${maxBytes} bytes`);
}

/** Requests ask for unencoded bytes, because decoding would defeat every limit on size. */
function isEncoded({ headers }: HttpAnswer): boolean {
  return !['', 'identity'].includes(headers.get('content-encoding')?.toLowerCase() ?? '');
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Map<string, string> {
  return new Map(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
}
