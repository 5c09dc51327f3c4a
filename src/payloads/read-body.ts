import { type Request } from 'express';
import { type Budget } from '../budget.js';
import { Refusal } from '../errors/errors.js';

/**
 * Reads a request's body whole; refuses another type than JSON, or than these (415), and one byte too many (413). Its
 * memory is counted until the answer is out.
 */
export async function readBody(
  request: Request,
  limit: number,
  budget: Budget,
  types: readonly string[] = [jsonType],
): Promise<Buffer> {
  requireType(request, types);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const reserve = reserveFor(request, budget);
  await reserve(announced);
  if (request.headers.expect !== undefined) request.res?.writeContinue();
  return collect(request, announced, (chunk, length) => {
    if (length > limit) throw tooLarge(limit);
    return length > announced ? reserve(chunk) : undefined;
  });
}

const jsonType = 'application/json';

/** The media type of a request's body, JSON where it names none; refuses other types than these (415). */
export function requireType({ headers }: Request, types: readonly string[]): string {
  const [given = '', ...parameters] = (headers['content-type'] ?? jsonType).split(';');
  const type = given.trim().toLowerCase();
  const charset = parameters
    .map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(text)?.[1])
    .find(Boolean);
  if (!types.includes(type)) throw unsupported(`The body must be ${types.join(' or ')}.`);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported('The body must be UTF-8.');
  const isCompressed = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isCompressed || /[^,\s]\s*,/.test(headers['transfer-encoding'] ?? ''))
    throw unsupported('The body must not be compressed.');
  return type;
}

const unsupported = (detail: string): Refusal => new Refusal('unsupported-media-type', detail);

const tooLarge = (limit: number): Refusal =>
  new Refusal('too-large', `The body is larger than ${limit} bytes.`, { Connection: 'close' });

/** Takes of the budget for a request, and gives all of it back when the answer is out or the client is gone. */
export function reserveFor({ res }: Request, budget: Budget): (bytes: number) => Promise<void> {
  let held = 0;
  let isOver = false;
  res?.on('close', () => {
    isOver = true;
    budget.giveBack(held);
  });
  return async (bytes) => {
    const taken = await budget.take(bytes);
    held += isOver ? 0 : taken;
    if (isOver) budget.giveBack(taken);
  };
}

/** Says of a chunk's length, and of that of the body so far, whether it may be kept, if need be after a while. */
type Admit = (chunk: number, length: number) => Promise<void> | undefined;

/** By events: an iterator over the request would cost more than all else that is done with a small body. */
function collect(request: Request, announced: number, admit: Admit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // What was announced has its place from the start: to join pieces would take as much again.
    const whole = Buffer.allocUnsafe(announced);
    const chunks: Buffer[] = [];
    let length = 0;
    // Who holds a part of the budget must use it.
    const watch = (): NodeJS.Timeout => setTimeout(() => request.destroy(), stallMs);
    let stalled = watch();
    const fail = (error: Error): void => {
      clearTimeout(stalled);
      request.off('data', take).pause();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      stalled.refresh();
      if (length + chunk.length <= announced) chunk.copy(whole, length);
      else chunks.push(chunk);
      length += chunk.length;
      try {
        const admitted = admit(chunk.length, length);
        if (admitted) wait(admitted);
      } catch (error) {
        fail(error as Error);
      }
    };
    const wait = (admitted: Promise<void>): void => {
      clearTimeout(stalled);
      request.pause();
      admitted.then(() => {
        stalled = watch();
        request.resume();
      }, fail);
    };
    const end = (): void => {
      clearTimeout(stalled);
      request.off('close', lose);
      resolve(chunks.length === 0 ? whole.subarray(0, length) : Buffer.concat(chunks, length));
    };
    // The client went away in mid-sentence: nobody is left to answer, and nothing was understood.
    const lose = (): void => {
      fail(new Refusal('malformed', 'The body ended early.'));
    };
    if (request.destroyed) lose();
    else request.on('data', take).once('end', end).once('close', lose);
  });
}

const stallMs = 10_000;
