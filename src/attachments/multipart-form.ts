import { Dicer } from '@fastify/busboy';
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import { Refusal } from '../errors/errors.js';
import { feed, tooLarge } from './feed.js';
import { type FilePart, parseFilePart } from './file-part.js';

/** Bytes that a form may hold beside its file. */
export const overhead = 2 ** 16;

const mostParts = 100;

interface FoundFile extends FilePart {
  readonly part: Readable;
}

/** A form with one file in it, while it arrives. */
export class MultipartForm {
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
    const options = { boundary, maxHeaderPairs: 50, maxHeaderSize: overhead / 4 };
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
    feed(request, this.parser, maxFileBytes + overhead, this.broken);
  }

  /** The file's bytes: they end when the whole form was understood, and throw when it was not. */
  async *bytes(part: Readable): AsyncGenerator<Buffer, void, undefined> {
    let length = 0;
    try {
      const chunks: AsyncIterable<Buffer> = part;
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length > this.maxFileBytes) throw tooLarge(`The file is larger than ${this.maxFileBytes} bytes.`);
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
        // Of the reasons the first stays.
        this.broken.abort(malformed('The body ended early.'));
      },
    );
    if (this.headless.size > 0) this.broken.abort(malformed('A part of the form has no headers.'));
    signal.throwIfAborted();
  }

  private take(part: Readable): void {
    this.parts++;
    if (this.parts > mostParts) {
      this.broken.abort(malformed(`The form has more than ${mostParts} parts.`));
      return;
    }
    this.headless.add(part);
    // The parser tells of them itself.
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
      if (this.fieldBytes > overhead)
        this.broken.abort(tooLarge(`The fields beside the file are larger than ${overhead} bytes.`));
    });
  }
}

const malformed = (detail: string): Refusal => new Refusal('malformed', detail);

function refuseEmpty(): never {
  throw malformed('The form holds no file.');
}
