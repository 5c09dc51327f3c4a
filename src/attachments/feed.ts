import { type IncomingMessage } from 'node:http';
import { type Writable } from 'node:stream';
import { Refusal } from '../errors/errors.js';
import { Pace } from '../payloads/pace.js';

/**
 * Writes a request's body into a parser, as fast as that takes it, until `broken` is aborted; aborts it with a refusal
 * when the body is larger than `limit` bytes, ends early or comes too slowly. By events: a pipe would close the connection with
 * the parser, and nobody could be answered.
 */
export function feed(
  request: IncomingMessage,
  parser: Writable,
  limit: number,
  broken: AbortController,
): void {
  let length = 0;
  let isThrough = false;
  const pace = new Pace((refusal) => {
    broken.abort(refusal);
  });
  const take = (chunk: Buffer): void => {
    pace.count(chunk.length);
    length += chunk.length;
    if (length > limit) broken.abort(tooLarge(`The body is larger than ${limit} bytes.`));
    else if (!isThrough && !parser.write(chunk)) wait();
  };
  // The client cannot help it when the store is slow.
  const wait = (): void => {
    if (isThrough) return;
    pace.stop();
    request.pause();
  };
  const goOn = (): void => {
    pace.stop();
    pace.start();
    request.resume();
  };
  // A parser that has seen the end of the form forgets to ask for more.
  const skipRest = (): void => {
    isThrough = true;
    goOn();
  };
  const leave = (): void => {
    pace.stop();
    parser.off('drain', goOn).off('finish', skipRest);
    request.off('data', take).off('end', end).off('close', lose).pause();
  };
  const end = (): void => {
    leave();
    parser.end();
  };
  const lose = (): void => {
    broken.abort(new Refusal('malformed', 'The body ended early.'));
  };
  broken.signal.addEventListener('abort', leave);
  pace.start();
  parser.on('drain', goOn).on('finish', skipRest);
  if (request.destroyed) lose();
  else request.on('data', take).on('end', end).on('close', lose);
}

/** More than is allowed; the rest of it is not read. */
export function tooLarge(detail: string): Refusal {
  return new Refusal('too-large', detail, { Connection: 'close' });
}
