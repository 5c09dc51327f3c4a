import { parse } from 'content-disposition';
import { parse as parseType } from 'content-type';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Writable, addAbortSignal, type Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { once } from 'node:events';
import { Refusal } from '../lib/errors.js';
import { IdleTimeout } from '../http/read-body.js';
import { type Message, say } from '../lib/message.js';

/** A file as it arrives: whoever stores it keeps nothing when its bytes throw. */
export interface ArrivingFile extends FilePart {
  readonly bytes: AsyncIterable<Buffer>;
}

/** Hands the one file of a `multipart/form-data` request to `store` while it arrives, and gives what that gives. */
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
 * Writes a request's body into a parser, as fast as that takes it, until `broken` is aborted; aborts it with a refusal
 * when the body is larger than `limit` bytes, ends early or comes too slowly. By events: a pipe would close the connection with
 * the parser, and nobody could be answered.
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
  // The time that a slow store takes does not count against the client.
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
  // After the end of the form the parser emits no `drain` any more.
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

/** More than is allowed; the rest of it is not read. */
function tooLarge(said: Message): Refusal {
  return new Refusal('too-large', said, { Connection: 'close' });
}

/** What a part of a form says of the file in it. */
interface FilePart {
  /** As the client sent it: perhaps a path. */
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** Reads the headers of a part by RFC 7578, the names in UTF-8; undefined when it is a plain field. */
function parseFilePart(headers: object): FilePart | undefined {
  const { type, parameters } = parse(textOf(headers, 'content-disposition'), { multipart: true });
  if (type !== 'form-data') throw new Refusal('malformed', 'A part of the form is not form-data.');
  const filename = parameters['filename'];
  const contentType = textOf(headers, 'content-type').trim();
  if (filename === undefined && contentType.toLowerCase() !== unnamed) return undefined;
  // RFC 7578 deprecates it, and nothing here decodes it: the file would be stored encoded.
  if (!/^(|7bit|8bit|binary)$/i.test(textOf(headers, 'content-transfer-encoding').trim()))
    throw new Refusal('malformed', 'The file must not be in a transfer encoding.');
  return { filename, contentType: contentType || unnamed };
}

/** The type of a file whose sender knew none. */
const unnamed = 'application/octet-stream';

/** The header of this name, or '' when there is none. */
function textOf(headers: object, name: string): string {
  const values: unknown = Reflect.get(headers, name) ?? [''];
  const texts: readonly unknown[] = Array.isArray(values) ? values : [];
  const [text] = texts;
  if (typeof text !== 'string' || texts.length > 1)
    throw new Refusal('malformed', say`A part of the form has several ${name} headers.`);
  return utf8(text);
}

/** The parser gives one character for each byte. */
function utf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    throw new Refusal('malformed', 'The headers of a part must be UTF-8.');
  }
}

/** Bytes that a form may hold beside its file. */
const MAX_OVERHEAD_BYTES = 2 ** 16;

const MAX_PARTS = 100;

interface FoundFile extends FilePart {
  readonly part: Readable;
}

/** A form with one file in it, while it arrives. */
class MultipartForm {
  /** The file, as soon as it begins. */
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
      this.broken.abort(malformed('The body is no complete form.'));
    });
    const begun = new Promise<FoundFile>((resolve) => {
      this.begin = resolve;
    });
    this.whole = this.finish(request);
    this.file = Promise.race([begun, this.whole.then(refuseEmpty)]);
    pump(request, this.parser, maxFileBytes + MAX_OVERHEAD_BYTES, this.broken);
  }

  /** The file's bytes: they end when the whole form was understood, and throw when it was not. */
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

  /** Reads no further. */
  leave(): void {
    this.broken.abort();
  }

  /** Waits until the client has sent everything and the parser has understood it. */
  private async finish(request: IncomingMessage): Promise<void> {
    const { signal } = this.broken;
    await Promise.all([once(this.parser, 'finish', { signal }), once(request, 'end', { signal })]).catch(
      () => {
        // A controller keeps the reason of its first abort().
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
    // The parser emits the same error, and is listened to.
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
          tooLarge(say`The fields beside the file are larger than ${MAX_OVERHEAD_BYTES} bytes.`),
        );
    });
  }
}

const malformed = (said: Message): Refusal => new Refusal('malformed', said);

function refuseEmpty(): never {
  throw malformed('The form holds no file.');
}
