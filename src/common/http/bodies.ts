import { parse as parseContentType } from 'content-type';
import express, { type Request } from 'express';
import { Injectable } from '@nestjs/common';
import { busy, Refusal } from '../errors.js';
import { type Message, say } from '../message.js';
import { FairSemaphore, type Holder } from '../../../packages/fair/semaphore.js';
import { type SharedRequest } from './share.guard.js';

const nobody: Holder = { workspaceId: 0 };

export const jsonType = 'application/json';
export const anyType = 'any';

/** All bodies in memory together have at most this many bytes. By default, eight of the largest size fit. */
const MAX_BODIES_BYTES = 64 * 2 ** 20;

type Types = readonly string[] | typeof anyType;

@Injectable()
export class Bodies {
  private readonly room = new FairSemaphore(
    MAX_BODIES_BYTES,
    busy('Too many request bodies are in memory at once.'),
  );

  /**
   * Reads a whole body. Refuses a body of a type that is not in `types` (415), and a body that is too large
   * (413). The body counts against `MAX_BODIES_BYTES` until the answer is sent or the client is gone.
   */
  async read(request: SharedRequest, limit: number, types: Types = [jsonType]): Promise<Buffer> {
    const { headers } = request;
    requireType(request, types);
    const told =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
    // A body of unknown length counts as the longest allowed body.
    const length = told ?? limit;
    if (length > limit) throw tooLarge(limit);
    await this.reserve(request, length);
    // Express would read an empty body from a client that has disconnected.
    if (request.destroyed) throw endedEarly();
    if (headers.expect !== undefined) request.res?.writeContinue();
    if (request.complete || request.readableLength === told) return arrivedBytes(request, limit);
    request.place?.leave();
    const bytes = await readBytes(request, limit);
    await request.place?.take();
    return bytes;
  }

  private async reserve({ principal = nobody, res }: SharedRequest, length: number): Promise<void> {
    const amount = await this.room.acquire(principal, length);
    const release = (): void => {
      this.room.release(principal, amount);
    };
    if (res?.closed === true) release();
    else res?.once('close', release);
  }
}

/** The bytes of a small body that has arrived completely. */
function arrivedBytes(request: Request, limit: number): Buffer {
  const bytes: unknown = request.read();
  // A stream emits `end` only while it flows.
  request.resume();
  if (!Buffer.isBuffer(bytes)) return Buffer.alloc(0);
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

function readBytes(request: Request, limit: number): Promise<Buffer> {
  const read = express.raw({ type: () => true, inflate: false, limit });
  return new Promise((resolve, reject) => {
    const done = (error?: unknown): void => {
      const body: unknown = request.body;
      // Frees the body, because the request object may live long.
      request.body = undefined;
      if (error !== undefined) reject(refusalOf(error, limit));
      else resolve(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    };
    if (request.res) read(request, request.res, done);
  });
}

function refusalOf(error: unknown, limit: number): Refusal {
  const isTooLarge = error instanceof Error && Reflect.get(error, 'type') === 'entity.too.large';
  return isTooLarge ? tooLarge(limit) : endedEarly();
}

/** The media type of a body. Refuses (415) types not in `types`, charsets except UTF-8, and compression. */
export function requireType({ headers }: Request, types: Types): string {
  const { type, parameters } = parseType(headers['content-type'] ?? jsonType);
  if (types !== anyType && !types.includes(type))
    throw unsupported(say`The body must be ${types.join(' or ')}.`);
  if (!/^utf-?8$/i.test(parameters['charset'] || 'utf-8')) throw unsupported('The body must be UTF-8.');
  const isCompressed = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isCompressed || /[^,\s]\s*,/.test(headers['transfer-encoding'] ?? ''))
    throw unsupported('The body must not be compressed.');
  return type;
}

/** Parses a content type. Most requests send exactly `application/json`, which needs no parser. */
function parseType(header: string): Pick<ReturnType<typeof parseContentType>, 'type' | 'parameters'> {
  return header === jsonType ? { type: jsonType, parameters: {} } : parseContentType(header);
}

const endedEarly = (): Refusal => new Refusal('malformed', 'The body ended early.');

const unsupported = (said: Message): Refusal => new Refusal('unsupported-media-type', said);

const tooLarge = (limit: number): Refusal =>
  new Refusal(
    'too-large',
    say`The body is larger than ${limit} bytes: upload files as multipart/form-data, or give their URLs as remoteUrl.`,
  );
