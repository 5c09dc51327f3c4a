import { parse } from 'content-disposition';
import { parse as parseType } from 'content-type';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Writable, addAbortSignal, type Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { once } from 'node:events';
import { Refusal } from '../lib/errors.js';
import { IdleTimeout } from '../http/read-body.js';
import { type Message, say } from '../lib/message.js';

/** A file that is being received. If reading its bytes throws, the reader must not keep any of them. */
export interface ArrivingFile extends FilePart {
  readonly bytes: AsyncIterable<Buffer>;
}

/** Passes the only file of a `multipart/form-data` request to `store` while it arrives, and returns its result. */
export async function readMultipartFile<T>(
  request: IncomingMessage & { readonly res?: ServerResponse | undefined },
  { maxFileBytes }: { readonly maxFileBytes: number },
  store: (file: ArrivingFile) => Promise<T>,
): Promise<T> {
  const boundary = boundaryOf(request);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxFileBytes + MAX_OVERHEAD_BYTES)
    throw tooLarge(say`The file is larger than ${maxFileBytes} bytes.`);
  if (request.headers.expect !== undefined) request.res?.writeContinue();
  const form = new MultipartForm(request, boundary, maxFileBytes);
  try {
    const { part, ...file } = await form.file;
    return await store({ ...file, bytes: form.bytes(part) });
  } finally {
    form.leave();
  }
}

function boundaryOf({ headers }: IncomingMessage): string {
  const { type, parameters } = parseType(headers['content-type'] ?? '');
  if (type !== 'multipart/form-data') throw unsupported('The body must be multipart/form-data.');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupported('The body must not be compressed.');
  const boundary = parameters['boundary'] ?? '';
  if (!/^(?!.* $)[\w'()+,./:=? -]{1,70}$/.test(boundary))
    throw new Refusal('malformed', 'The content type must name the boundary.');
  return boundary;
}

const unsupported = (said: Message): Refusal => new Refusal('unsupported-media-type', said);

/**
 * Writes a request's body to a parser at its pace, until `broken` is aborted. Aborts it with a refusal if the body
 * exceeds `limit`, ends early or is too slow. It uses events, because a pipe would close the connection along with the
 * parser, so that no answer could be sent.
 */
function pump(request: IncomingMessage, parser: Writable, limit: number, broken: AbortController): void {
  let length = 0;
  let isThrough = false;
  const idle = new IdleTimeout((refusal) => {
    broken.abort(refusal);
  });
  const take = (chunk: Buffer): void => {
    idle.count(chunk.length);
    length += chunk.length;
    if (length > limit) broken.abort(tooLarge(say`The body is larger than ${limit} bytes.`));
    else if (!isThrough && !parser.write(chunk)) wait();
  };
  // Time in which the store is slow does not count against the client.
  const wait = (): void => {
    if (isThrough) return;
    idle.stop();
    request.pause();
  };
  const goOn = (): void => {
    idle.stop();
    idle.start();
    request.resume();
  };
  // After the end of the form the parser no longer emits `drain`.
  const skipRest = (): void => {
    isThrough = true;
    goOn();
  };
  const leave = (): void => {
    idle.stop();
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
  idle.start();
  parser.on('drain', goOn).on('finish', skipRest);
  if (request.destroyed) lose();
  else request.on('data', take).on('end', end).on('close', lose);
}

/** The file exceeds the limit; the rest is not read. */
function tooLarge(said: Message): Refusal {
  return new Refusal('too-large', said, { Connection: 'close' });
}

/** The headers of a file in a form. */
interface FilePart {
  /** As the client sent it; it may be a path. */
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** Parses the headers of a part by RFC 7578, with names in UTF-8; undefined if it is not a file. */
function parseFilePart(headers: object): FilePart | undefined {
  const { type, parameters } = parse(textOf(headers, 'content-disposition'), { multipart: true });
  if (type !== 'form-data') throw new Refusal('malformed', 'A part of the form is not form-data.');
  const filename = parameters['filename'];
  const contentType = textOf(headers, 'content-type').trim();
  if (filename === undefined && contentType.toLowerCase() !== unnamed) return undefined;
  // RFC 7578 deprecates encodings, and the bytes are not decoded here, so the file would be stored encoded.
  if (!/^(|7bit|8bit|binary)$/i.test(textOf(headers, 'content-transfer-encoding').trim()))
    throw new Refusal('malformed', 'The file must not have a transfer encoding.');
  return { filename, contentType: contentType || unnamed };
}

/** The type of a file that was sent without one. */
const unnamed = 'application/octet-stream';

/** A header; '' if it is missing. */
function textOf(headers: object, name: string): string {
  const values: unknown = Reflect.get(headers, name) ?? [''];
  const texts: readonly unknown[] = Array.isArray(values) ? values : [];
  const [text] = texts;
  if (typeof text !== 'string' || texts.length > 1)
    throw new Refusal('malformed', say`A part of the form has several ${name} headers.`);
  return utf8(text);
}

/** The parser returns one character per byte. */
function utf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    throw new Refusal('malformed', 'The headers of a part must be UTF-8.');
  }
}

/** The maximum size of a form besides its file, in bytes. */
const MAX_OVERHEAD_BYTES = 2 ** 16;

const MAX_PARTS = 100;

interface FoundFile extends FilePart {
  readonly part: Readable;
}

/** A form with one file that is being received. */
class MultipartForm {
  /** Resolves when the file begins. */
  readonly file: Promise<FoundFile>;
  private readonly parser: Dicer;
  private readonly whole: Promise<void>;
  private readonly broken = new AbortController();
  private readonly headless = new Set<Readable>();
  private begin: ((file: FoundFile) => void) | undefined;
  private hasBegun = false;
  private parts = 0;
  private fieldBytes = 0;

  constructor(
    request: IncomingMessage,
    boundary: string,
    private readonly maxFileBytes: number,
  ) {
    const options = { boundary, maxHeaderPairs: 50, maxHeaderSize: MAX_OVERHEAD_BYTES / 4 };
    this.parser = new Dicer(options);
    this.parser.on('part', (part) => {
      this.take(part);
    });
    this.parser.on('error', () => {
      this.broken.abort(malformed('The form is incomplete.'));
    });
    const begun = new Promise<FoundFile>((resolve) => {
      this.begin = resolve;
    });
    this.whole = this.finish(request);
    this.file = Promise.race([begun, this.whole.then(refuseEmpty)]);
    pump(request, this.parser, maxFileBytes + MAX_OVERHEAD_BYTES, this.broken);
  }

  /** The bytes of the file. They end once the whole form is valid, and throw if it is not. */
  async *bytes(part: Readable): AsyncGenerator<Buffer, void, undefined> {
    let length = 0;
    try {
      const chunks: AsyncIterable<Buffer> = part;
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length > this.maxFileBytes)
          throw tooLarge(say`The file is larger than ${this.maxFileBytes} bytes.`);
        yield chunk;
      }
    } catch (error) {
      this.broken.signal.throwIfAborted();
      throw error;
    }
    await this.whole;
  }

  /** Stops reading. */
  leave(): void {
    this.broken.abort();
  }

  /** Waits until the client has sent everything and the parser has processed it. */
  private async finish(request: IncomingMessage): Promise<void> {
    const { signal } = this.broken;
    await Promise.all([once(this.parser, 'finish', { signal }), once(request, 'end', { signal })]).catch(
      () => {
        // Only the first abort() of a controller sets its reason.
        this.broken.abort(malformed('The body ended early.'));
      },
    );
    if (this.headless.size > 0) this.broken.abort(malformed('A part of the form has no headers.'));
    signal.throwIfAborted();
  }

  private take(part: Readable): void {
    this.parts++;
    if (this.parts > MAX_PARTS) {
      this.broken.abort(malformed(say`The form has more than ${MAX_PARTS} parts.`));
      return;
    }
    this.headless.add(part);
    // The parser emits the same error, and has a listener.
    part.on('error', () => undefined);
    part.once('header', (headers: object) => {
      this.headless.delete(part);
      try {
        this.read(part, headers);
      } catch (error) {
        this.broken.abort(error);
      }
    });
  }

  private read(part: Readable, headers: object): void {
    const file = parseFilePart(headers);
    if (!file) this.skip(part);
    else if (this.hasBegun) throw malformed('The form holds more than one file.');
    else this.begin?.({ ...file, part: addAbortSignal(this.broken.signal, part) });
    this.hasBegun ||= file !== undefined;
  }

  private skip(part: Readable): void {
    part.on('data', (chunk: Buffer) => {
      this.fieldBytes += chunk.length;
      if (this.fieldBytes > MAX_OVERHEAD_BYTES)
        this.broken.abort(
          tooLarge(say`The other fields of the form are larger than ${MAX_OVERHEAD_BYTES} bytes.`),
        );
    });
  }
}

const malformed = (said: Message): Refusal => new Refusal('malformed', said);

function refuseEmpty(): never {
  throw malformed('The form holds no file.');
}
