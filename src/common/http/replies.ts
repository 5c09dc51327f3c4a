import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create } from 'content-disposition';
import { type Response } from 'express';
import { type Reply } from '../reply.js';
import { TEXT_LENGTH } from '../../../packages/fair/turn.js';
import { hash } from 'node:crypto';
import fresh from 'fresh';

export interface TaskAnswer {
  /** The JSON of the task, in pieces if it is long. */
  readonly json: string | AsyncGenerator<string>;
  readonly tag: string;
  readonly isCreated: boolean;
  /** The id of the task in its Task URL. */
  readonly publicId: string;
  /** The task's Unique ID; null if the task has none. */
  readonly uniqueId?: string | null;
}

/** Answers a write with the task. A created task gets 201, and a `Location` if it has a Unique ID. */
export function writtenReply({ json, tag, isCreated, uniqueId }: TaskAnswer): Reply {
  return (response) => {
    response.status(isCreated ? 201 : 200).setHeader('ETag', tag);
    if (isCreated && uniqueId != null) response.setHeader('Location', below(response, uniqueId));
    return sendJson(response, json);
  };
}

/** Answers with the created object. `Location` is the request's path, followed by the name if given. */
export function createdReply(created: object, name?: string): Reply {
  return (response) => {
    response.status(201).setHeader('Location', below(response, name));
    return sendJson(response, JSON.stringify(created));
  };
}

function below({ req: { path } }: Response, name: string | undefined): string {
  const list = path.replace(/\/$/, '');
  return name === undefined ? list : `${list}/${encodeURIComponent(name)}`;
}

/** Answers a read with JSON and its `ETag`, or with 304 if the client already has this body. */
export function readReply({ json, tag }: { readonly json: Json; readonly tag: string }): Reply {
  return (response) => {
    response.setHeader('ETag', tag);
    const { 'if-none-match': known } = response.req.headers;
    return isKnown(known, tag) ? void response.status(304).end() : sendJson(response, json);
  };
}

/** A document that rarely changes. All answers share its bytes. */
export interface SharedDocument {
  readonly bytes: Buffer;
  readonly tag: string;
}

export function documentOf(json: string): SharedDocument {
  return { bytes: Buffer.from(json), tag: `"${hash('sha256', json).slice(0, 32)}"` };
}

export function documentReply({ bytes, tag }: SharedDocument): Reply {
  return readReply({ json: bytes, tag });
}

/** The status of an answer, by default 200, and the headers to send besides `Content-Type`. */
export interface Head {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonReply(json: string, { status = 200, headers = {} }: Head = {}): Reply {
  return (response) => sendJson(withHeaders(response.status(status), headers), json);
}

/** Answers with bytes or text of the type that the headers give. */
export function contentReply(content: Buffer | string, headers: Readonly<Record<string, string>>): Reply {
  return (response) => void withHeaders(response, headers).end(content);
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return response;
}

/** Lets `scope` send the answer, so that `scope` can hold resources until the answer is sent. */
export function replyWithin(scope: (send: (reply: Reply) => Promise<void>) => Promise<void>): Reply {
  return (response) => scope(async (reply) => reply(response));
}

type Json = string | Buffer | AsyncGenerator<string>;

/** Answers with JSON. Pieces are sent only as fast as the client reads. */
async function sendJson(response: Response, json: Json): Promise<void> {
  response.setHeader('Content-Type', contentType);
  if (typeof json === 'string' || Buffer.isBuffer(json)) response.end(json);
  // HEAD needs no body, so a long body is not read.
  else if (response.req.method === 'HEAD') response.end();
  else await stream(response, json);
}

export interface TaskList {
  /** The JSON of the tasks with commas between them. Tasks are read while the list is sent. */
  readonly texts: AsyncGenerator<string>;
  readonly next: string | undefined;
  /** The number of tasks that match the filters, if the request asked for a count. */
  readonly total: number | undefined;
  /** Which operations had no index to use, and so may be slow: sorting, filtering, or both. */
  readonly withoutIndex?: readonly ('sort' | 'filter')[];
}

/**
 * Answers with a list: a short list whole, a long one as fast as the client reads. If reading an element
 * fails after the answer has begun, cuts the connection: an incomplete array must not look complete.
 */
export function listReply(list: TaskList): Reply {
  return (response) => sendList(response, list);
}

async function sendList(
  response: Response,
  { texts, next, total, withoutIndex = [] }: TaskList,
): Promise<void> {
  const first = await texts.next();
  if (next !== undefined) response.setHeader('Link', `<${next}>; rel="next"`);
  if (total !== undefined) response.setHeader('X-Total-Count', total);
  if (withoutIndex.length > 0)
    response.setHeader('Server-Timing', withoutIndex.map((part) => `${part};desc="no index"`).join(', '));
  response.setHeader('Content-Type', contentType);
  // HEAD needs no list, so the rest is not read.
  if (response.req.method === 'HEAD') return void response.writeHead(200).end();
  if (first.done === true) return void response.end('[]');
  let text = first.value;
  for (;;) {
    const more = await texts.next();
    if (more.done === true) return void response.end(`[${text}]`);
    if (text.length > MAX_WHOLE_LENGTH) return stream(response, arrayOf(text, more, texts));
    text += more.value;
  }
}

/** A longer list is streamed. A shorter list is faster to send whole. */
const MAX_WHOLE_LENGTH = 2 * TEXT_LENGTH;

const contentType = 'application/json; charset=utf-8';

/**
 * Answers with lines of JSON as they are produced. Buffers up to some megabytes, because many clients send
 * their whole body before they read. When the buffer is full, lines are produced only as fast as the client
 * reads.
 */
export function linesReply(lines: AsyncGenerator<string>): Reply {
  return (response) => sendLines(response, lines);
}

async function sendLines(response: Response, lines: AsyncGenerator<string>): Promise<void> {
  const first = await lines.next();
  response.status(200).setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
  if (first.done === true) return void response.end();
  await stream(response, followedBy(first.value, lines), 256);
}

/**
 * Answers with a CSV file that browsers save under this name. If a text after the first cannot be read, the
 * connection is cut.
 */
export function csvReply(filename: string, texts: AsyncGenerator<string>): Reply {
  return async (response) => {
    const first = await texts.next();
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', create(filename));
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'private, no-store');
    await stream(response, followedBy(first.done === true ? '' : first.value, texts));
  };
}

async function* followedBy(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Sends pieces as fast as the client reads. Reads up to `ahead` pieces in advance. */
async function stream(response: Response, pieces: AsyncGenerator<string>, ahead = 1): Promise<void> {
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

/** Whether the client already has this body, by the tags in its `If-None-Match`. */
export function isKnown(tags: string | undefined, tag: string): boolean {
  return fresh({ 'if-none-match': tags }, { etag: tag });
}
