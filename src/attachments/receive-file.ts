import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy, { type Busboy } from 'busboy';
import { type Request } from 'express';
import { Refusal } from '../common/errors.js';
import { type Message, say } from '../common/message.js';
import { type Upload } from '../tasks/files/uploads.js';

export interface FileSink<T> {
  /** Stores the file. If the reading of its bytes throws, stores nothing. The filename may be a path. */
  store(file: Upload): Promise<T>;
  /** Removes a stored file, because the rest of the form is invalid. */
  drop(stored: T): Promise<void>;
}

/** A `Content-Length` may exceed the largest allowed file by at most this many bytes. */
const MAX_OVERHEAD_BYTES = 65_536;

/** Passes the only file of a `multipart/form-data` request to `sink`; returns the result of `sink`. */
export async function receiveFile<T>(request: Request, maxFileBytes: number, sink: FileSink<T>): Promise<T> {
  const { headers, res } = request;
  if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new Refusal('unsupported-media-type', 'The body must be multipart/form-data.');
  if (Number(headers['content-length'] ?? 0) > maxFileBytes + MAX_OVERHEAD_BYTES)
    throw tooLarge(maxFileBytes);
  if (headers.expect !== undefined) res?.writeContinue();
  const form = openForm(request, maxFileBytes);
  let stored: Promise<T> | undefined;
  let reason: Error | undefined;
  const fail = (error: Error): void => {
    reason ??= error;
    form.destroy();
  };
  form.on('file', (_name, stream, { filename, mimeType: contentType }) => {
    // When the form fails, even a stream that nobody reads emits an error.
    stream.on('error', () => undefined);
    if (!filename) {
      stream.resume();
      return;
    }
    stored = sink.store({ filename: unescaped(filename), contentType, bytes: bytesOf(stream, maxFileBytes) });
    stored.catch(fail);
  });
  form.on('filesLimit', () => {
    fail(malformed('The form holds more than one file.'));
  });
  form.on('fieldsLimit', () => {
    fail(malformed('The form has more than 20 fields besides the file.'));
  });
  form.on('field', (_name, _value, { valueTruncated }) => {
    if (valueTruncated) fail(malformed('A field of the form is longer than 4096 bytes.'));
  });
  try {
    // If the form is refused, the request must stay open for the answer.
    await pipeline(request.iterator({ destroyOnReturn: false }), form);
  } catch {
    await stored?.then((kept) => sink.drop(kept), fail);
    throw reason ?? malformed('The form is not valid, or ended early.');
  }
  if (!stored) throw malformed('The form holds no file.');
  return stored;
}

function openForm({ headers }: Request, fileSize: number): Busboy {
  // busboy refuses a size that equals the limit, so both limits of sizes are one higher.
  const limits = { fileSize: fileSize + 1, files: 1, fields: 20, fieldSize: 4097, headerPairs: 50 };
  try {
    return busboy({ headers, limits, preservePath: true, defParamCharset: 'utf8' });
  } catch {
    throw malformed('The form is not valid.');
  }
}

/** Unescapes quotation marks and line ends, which browsers escape in the names of a form. */
const unescaped = (name: string): string =>
  name.replace(/%(0A|0D|22)/gi, (escape) => decodeURIComponent(escape));

async function* bytesOf(stream: Readable, maxFileBytes: number): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw malformed('The body ended early.');
  }
  if (Reflect.get(stream, 'truncated') === true) throw tooLarge(maxFileBytes);
}

function tooLarge(maxFileBytes: number): Refusal {
  return new Refusal('too-large', say`The file is larger than ${maxFileBytes} bytes.`);
}

const malformed = (said: Message): Refusal => new Refusal('malformed', said);
