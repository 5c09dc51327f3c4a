import { parse } from 'content-disposition';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Refusal } from '../errors/errors.js';
import { tooLarge } from './feed.js';
import { type FilePart } from './file-part.js';
import { MultipartForm, overhead } from './multipart-form.js';

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
  if (announced > maxFileBytes + overhead) throw tooLarge(`The file is larger than ${maxFileBytes} bytes.`);
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
  // The grammar is that of a disposition: a word and its parameters.
  const { type, parameters } = parse(headers['content-type'] ?? '', { extended: false });
  if (type !== 'multipart/form-data') throw unsupported('The body must be multipart/form-data.');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupported('The body must not be compressed.');
  const boundary = parameters['boundary'] ?? '';
  if (!/^(?!.* $)[\w'()+,./:=? -]{1,70}$/.test(boundary))
    throw new Refusal('malformed', 'The content type must name the boundary.');
  return boundary;
}

const unsupported = (detail: string): Refusal => new Refusal('unsupported-media-type', detail);
