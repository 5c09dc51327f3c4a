import { type Readable, Transform } from 'node:stream';
import { type Dispatcher } from 'undici';
import { failureOf, OutboundFailure } from './failure.js';

/** The most informational answers (1xx) before an answer. */
const MAX_INFORMATIONAL = 16;

export interface HttpAnswer {
  readonly status: number;
  /** The headers by their names in lower case. Repeated headers are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body, which must be read or destroyed. If the body fails, the error is an `OutboundFailure`. */
  readonly body: Readable;
}

/** Sends a request, and limits the answer. Throws an `OutboundFailure`. */
export async function boundedAnswer(
  agent: Dispatcher,
  request: Omit<Dispatcher.RequestOptions, 'signal' | 'onInfo'>,
  signal: AbortSignal,
  maxBytes: number,
): Promise<HttpAnswer> {
  let informational = 0;
  const onInfo = (): void => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL) throw tooManyAnswers();
  };
  try {
    signal.throwIfAborted();
    const { statusCode, headers, body } = await agent.request({ ...request, signal, onInfo });
    const answer = { status: statusCode, headers: joined(headers), body: counted(body, signal, maxBytes) };
    if (isEncoded(answer)) answer.body.destroy(new OutboundFailure('encoded answer'));
    return answer;
  } catch (error) {
    throw failureOf(error, signal, 'unreachable');
  }
}

/** A body that fails after `maxBytes` bytes. If the reader destroys the body, the connection ends, too. */
function counted(source: Readable, signal: AbortSignal, maxBytes: number): Readable {
  let bytes = 0;
  const body = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? tooLarge(maxBytes) : null, chunk);
    },
    destroy(error, done) {
      source.destroy();
      done(error);
    },
  });
  // The reader gets the error. Without a reader, the error must not end the process.
  body.on('error', () => undefined);
  source.on('error', (error) => body.destroy(failureOf(error, signal, 'incomplete')));
  source.pipe(body);
  return body;
}

const tooManyAnswers = (): OutboundFailure =>
  new OutboundFailure(
    'invalid answer',
    `the server sent more than ${MAX_INFORMATIONAL} informational answers`,
  );

export function tooLarge(maxBytes: number): OutboundFailure {
  return new OutboundFailure('too large', `it is larger than ${maxBytes} bytes`);
}

/** Whether an answer is encoded, although requests forbid this. A decoded body could exceed `maxBytes`. */
function isEncoded({ headers }: HttpAnswer): boolean {
  return !['', 'identity'].includes(headers.get('content-encoding')?.toLowerCase() ?? '');
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Map<string, string> {
  return new Map(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
}
