import { type Readable } from 'node:stream';
import { type Request } from 'express';
import multer, { MulterError, type StorageEngine } from 'multer';
import { Refusal } from '../common/errors.js';
import { type Message, say } from '../common/message.js';
import { type Upload } from '../tasks/files/uploads.js';

export interface FileSink<T> {
  /** Its name is as the client sent it, which may be a path. If reading its bytes throws, none of them may be kept. */
  store(file: Upload): Promise<T>;
  /** Removes what was stored, because the rest of the form was invalid. */
  drop(stored: T): Promise<void>;
}

/** The most bytes of a form, apart from its file. */
const MAX_OVERHEAD_BYTES = 65_536;

/** Passes the only file of a `multipart/form-data` request to `sink` as it arrives; returns what `sink` returns. */
export async function receiveFile<T>(request: Request, maxFileBytes: number, sink: FileSink<T>): Promise<T> {
  const { headers, res } = request;
  if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new Refusal('unsupported-media-type', 'The body must be multipart/form-data.');
  if (Number(headers['content-length'] ?? 0) > maxFileBytes + MAX_OVERHEAD_BYTES)
    throw tooLarge(maxFileBytes);
  if (!res) throw new Error('a request without its response');
  if (headers.expect !== undefined) res.writeContinue();
  return new Promise((resolve, reject) => {
    const storage = new SinkStorage(sink, maxFileBytes, reject);
    const limits = { fileSize: maxFileBytes, files: 1, fields: 20, fieldSize: 4096, headerPairs: 50 };
    const form = multer({ storage, limits, preservePath: true, defParamCharset: 'utf8' });
    form.any()(request, res, (error: unknown) => {
      if (error !== undefined) reject(refusalOf(error));
      else if (storage.stored === undefined) reject(malformed('The form holds no file.'));
      else resolve(storage.stored);
    });
  });
}

class SinkStorage<T> implements StorageEngine {
  stored: T | undefined;

  constructor(
    private readonly sink: FileSink<T>,
    private readonly maxFileBytes: number,
    /** Fails the request at once: multer would read the rest of the body before it reports a failure. */
    private readonly fail: (error: unknown) => void,
  ) {}

  _handleFile(_request: Request, file: Express.Multer.File, done: (error?: unknown) => void): void {
    const { originalname: filename, mimetype: contentType, stream } = file;
    this.sink.store({ filename, contentType, bytes: this.bytesOf(stream) }).then(
      (stored) => {
        this.stored = stored;
        done(null);
      },
      (error: unknown) => {
        this.fail(error);
        done(error);
      },
    );
  }

  _removeFile(_request: Request, _file: Express.Multer.File, done: (error: Error | null) => void): void {
    const dropped = this.stored === undefined ? Promise.resolve() : this.sink.drop(this.stored);
    dropped.then(() => {
      done(null);
    }, done);
  }

  private async *bytesOf(stream: Readable): AsyncGenerator<Buffer> {
    try {
      yield* stream as AsyncIterable<Buffer>;
    } catch {
      throw malformed('The body ended early.');
    }
    if (Reflect.get(stream, 'truncated') === true) throw tooLarge(this.maxFileBytes);
  }
}

function tooLarge(maxFileBytes: number): Refusal {
  return new Refusal('too-large', say`The file is larger than ${maxFileBytes} bytes.`);
}

const malformed = (said: Message): Refusal => new Refusal('malformed', said);

function refusalOf(error: unknown): Refusal {
  const code = error instanceof MulterError ? error.code : undefined;
  return malformed(faults.get(code) ?? 'The form is not valid, or ended early.');
}

const faults: ReadonlyMap<MulterError['code'] | undefined, Message> = new Map([
  ['LIMIT_FILE_COUNT', 'The form holds more than one file.'],
  ['LIMIT_FIELD_COUNT', 'The form has more than 20 fields beside the file.'],
  ['LIMIT_FIELD_VALUE', 'A field of the form is longer than 4096 bytes.'],
]);
