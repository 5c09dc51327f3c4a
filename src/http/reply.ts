import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Request, type Response } from 'express';
import { type AccessRequest } from '../auth/api-key.guard.js';
import { chunkLength, turn } from '../lib/turn.js';
import { documentTag, isKnown } from './etag.js';

/** A task's JSON on its way out. */
export interface TaskAnswer {
  /** In pieces where it is long. */
  readonly json: string | AsyncGenerator<string>;
  readonly tag: string;
  readonly isCreated: boolean;
}

/** Answers a write with the task: 201 when it has just been created. */
export async function sendWritten(response: Response, { json, tag, isCreated }: TaskAnswer): Promise<void> {
  response.status(isCreated ? 201 : 200).setHeader('ETag', tag);
  await sendJson(response, json);
}

/** Answers a read with the task, or what else has a tag: 304 when the client has this very body. */
export async function sendRead(
  request: Request,
  response: Response,
  { json, tag }: Pick<TaskAnswer, 'json' | 'tag'>,
): Promise<void> {
  response.setHeader('ETag', tag);
  if (isKnown(request.headers['if-none-match'], tag)) response.status(304).end();
  else await sendJson(response, json);
}

/** Answers a read with a document that stays the same until somebody changes what it tells of. */
export async function sendDocument(request: Request, response: Response, json: string): Promise<void> {
  await sendRead(request, response, { json, tag: documentTag(json) });
}

/** Answers with JSON, in the pieces that a long one comes in. */
export async function sendJson(response: Response, json: string | AsyncGenerator<string>): Promise<void> {
  response.setHeader('Content-Type', contentType);
  if (typeof json === 'string' && json.length <= chunkLength) response.end(json);
  // Nobody reads a long body for its head alone.
  else if (response.req.method === 'HEAD') response.end();
  else if (typeof json === 'string') await sendInPieces(response, Buffer.from(json));
  else await stream(response, json);
}

/**
 * To write a long answer at once takes long: others have the event loop between its pieces. It is in memory anyway, so
 * it is given to the connection whole, which knows what waits for a client that takes nothing.
 */
async function sendInPieces(response: Response, bytes: Buffer): Promise<void> {
  const { principal }: AccessRequest = response.req;
  response.setHeader('Content-Length', bytes.length);
  for (let at = 0; at < bytes.length; at += pieceLength) {
    if (principal && at > 0) await turn(principal);
    if (response.destroyed) return;
    response.write(bytes.subarray(at, at + pieceLength));
  }
  response.end();
}

/** Bytes that are written in a millisecond or so: in smaller ones an answer would wait in line longer than it takes. */
const pieceLength = 2 ** 20;

/** A list on its way out. */
export interface TaskList {
  /** The tasks' JSON with commas between them, read as it is asked for. */
  readonly chunks: AsyncGenerator<string>;
  /** The address of the next page. */
  readonly next: string | undefined;
  /** How many tasks meet the filters, where that was asked for. */
  readonly total: number | undefined;
}

/**
 * Sends a list: whole when it is short, else at the client's pace. When something fails behind the first tasks the
 * connection is cut: a shorter array must never look complete.
 */
export async function sendList(response: Response, { chunks, next, total }: TaskList): Promise<void> {
  const first = await chunks.next();
  if (next !== undefined) response.setHeader('Link', `<${next}>; rel="next"`);
  if (total !== undefined) response.setHeader('X-Total-Count', total);
  response.setHeader('Content-Type', contentType);
  // Nobody reads a list for its head alone.
  if (response.req.method === 'HEAD') return void response.writeHead(200).end();
  if (first.done === true) return void response.end('[]');
  const second = await chunks.next();
  if (second.done === true) return void response.end(`[${first.value}]`);
  await stream(response, arrayOf(first.value, second, chunks));
}

const contentType = 'application/json; charset=utf-8';

/**
 * Sends lines of JSON as they come. A client that has yet to read finds some megabytes waiting, for many send all
 * before they read; then nothing more is asked for until it does.
 */
export async function sendLines(
  response: Response,
  status: number,
  chunks: AsyncGenerator<string>,
): Promise<void> {
  const first = await chunks.next();
  response.status(status).setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
  if (first.done === true) return void response.end();
  await stream(response, followedBy(first.value, chunks), 256);
}

async function* followedBy(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Sends pieces at the client's pace, so many ahead of it. */
async function stream(response: Response, pieces: AsyncGenerator<string>, ahead = 1): Promise<void> {
  // The pipeline listens, too: eleven in all is no leak.
  response.setMaxListeners(20);
  await pipeline(Readable.from(pieces, { highWaterMark: ahead }), response);
}

async function* arrayOf(
  first: string,
  second: IteratorYieldResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield `[${first}`;
    for (let piece: IteratorResult<string> = second; piece.done !== true; piece = await rest.next())
      yield piece.value;
    yield ']';
  } finally {
    await rest.return(undefined);
  }
}
