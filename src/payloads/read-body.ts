import { type Request } from 'express';
import { type Budget } from '../budget.js';
import { Refusal } from '../errors/errors.js';

/**
 * Reads a JSON request's body whole; refuses another type (415) and one byte too many (413). Its memory is counted
 * until the answer is out.
 */
export async function readBody(request: Request, limit: number, budget: Budget): Promise<Buffer> {
  requireJson(request);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const reserve = reserveFor(request, budget);
  await reserve(announced);
  if (request.headers.expect !== undefined) request.res?.writeContinue();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(request)) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    if (length > announced) await reserve(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function requireJson({ headers }: Request): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? 'application/json').split(';');
  const charset = parameters
    .map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(text)?.[1])
    .find(Boolean);
  if (type.trim().toLowerCase() !== 'application/json')
    throw unsupported('The body must be application/json.');
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported('The body must be UTF-8.');
  const isCompressed = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isCompressed || /[^,\s]\s*,/.test(headers['transfer-encoding'] ?? ''))
    throw unsupported('The body must not be compressed.');
}

const unsupported = (detail: string): Refusal => new Refusal('unsupported-media-type', detail);

const tooLarge = (limit: number): Refusal =>
  new Refusal('too-large', `The body is larger than ${limit} bytes.`, { Connection: 'close' });

/** Takes of the budget for a request, and gives all of it back when the answer is out or the client is gone. */
function reserveFor({ res }: Request, budget: Budget): (bytes: number) => Promise<void> {
  let held = 0;
  let isOver = false;
  res?.once('close', () => {
    isOver = true;
    budget.giveBack(held);
  });
  return async (bytes) => {
    const taken = await budget.take(bytes);
    held += isOver ? 0 : taken;
    if (isOver) budget.giveBack(taken);
  };
}

async function* chunksOf(request: Request): AsyncGenerator<Buffer> {
  // Who holds a part of the budget must use it.
  request.setTimeout(stallMs, () => request.destroy());
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }))
      if (Buffer.isBuffer(chunk)) yield chunk;
  } catch {
    // The client went away in mid-sentence: nobody is left to answer, and nothing was understood.
    throw new Refusal('malformed', 'The body ended early.');
  } finally {
    request.setTimeout(0);
  }
}

const stallMs = 10_000;
