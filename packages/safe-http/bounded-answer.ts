import { type Readable, Transform } from 'node:stream';
import { type Dispatcher } from 'undici';
import { failureOf, OutboundFailure } from './failure.js';

/** The most informational answers (1xx) before an answer. */
const MAX_INFORMATIONAL = 16;

export interface HttpAnswer {
  readonly status: number;
  /** By their names in lower case; repeated headers are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Must be read or destroyed; fails with an `OutboundFailure`. */
  readonly body: Readable;
}

/** Sends a request, and bounds its answer; throws an `OutboundFailure`. */
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

/** A body that fails beyond so many bytes; whoever ends it ends the connection. */
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
  // The reader gets the error; without a reader, it must not end the process.
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

/** Requests ask for unencoded bytes: decoding would defeat every limit on size. */
function isEncoded({ headers }: HttpAnswer): boolean {
  return !['', 'identity'].includes(headers.get('content-encoding')?.toLowerCase() ?? '');
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Map<string, string> {
  return new Map(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
}
