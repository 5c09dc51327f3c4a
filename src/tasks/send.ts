import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Request, type Response } from 'express';
import { isKnown } from './entity-tag.js';

/** A task's JSON on its way out. */
export interface TaskAnswer {
  readonly json: string;
  readonly tag: string;
  readonly isCreated: boolean;
}

/** Answers a write with the task: 201 when it has just been created. */
export function sendWritten(response: Response, { json, tag, isCreated }: TaskAnswer): void {
  response.status(isCreated ? 201 : 200).setHeader('ETag', tag);
  response.setHeader('Content-Type', contentType).end(json);
}

/** Answers a read with the task: 304 when the client has this very body. */
export function sendRead(request: Request, response: Response, { json, tag }: TaskAnswer): void {
  response.setHeader('ETag', tag);
  if (isKnown(request.headers, tag)) response.status(304).end();
  else response.setHeader('Content-Type', contentType).end(json);
}

/**
 * Streams a list at the client's pace. When something fails after the first batch the connection is cut: a shorter
 * array must never look complete.
 */
export async function sendList(response: Response, batches: AsyncGenerator<string>): Promise<void> {
  const first = await batches.next();
  response.setHeader('Content-Type', contentType);
  if (first.done) response.end('[]');
  else
    await pipeline(
      Readable.from(wrap(first.value, batches), { objectMode: true, highWaterMark: 1 }),
      response,
    );
}

/** The query of a request, its parameters exactly as they were sent and in that order. */
export function queryOf({ originalUrl }: Request): URLSearchParams {
  const at = originalUrl.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : originalUrl.slice(at));
}

const contentType = 'application/json; charset=utf-8';

async function* wrap(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield `[${first}`;
  for await (const batch of rest) yield `,${batch}`;
  yield ']';
}
