import { pipeline } from 'node:stream/promises';
import { type Request, type Response } from 'express';
import { isKnown } from '../answers/entity-tag.js';
import { Refusal } from '../errors/errors.js';
import { downloadHeaders } from './download-headers.js';
import { type OpenFile } from './files.service.js';
import { parseRange, rangeHeaders } from './range.js';

/** Sends a file or the part of it that the request asks for, at the client's pace. */
export async function sendFile(request: Request, response: Response, file: OpenFile): Promise<void> {
  const headers = downloadHeaders(file);
  const tag = headers['ETag'] ?? '';
  if (isKnown(request.headers, tag)) {
    const { 'Content-Length': _, 'Content-Type': _type, ...known } = headers;
    return void response.writeHead(304, known).end();
  }
  const range = request.method === 'GET' ? parseRange(request.headers, file.size, tag) : 'whole';
  if (range === 'none')
    throw new Refusal(
      'range-not-satisfiable',
      'The file ends before this range.',
      rangeHeaders(range, file.size),
    );
  const [status, part] = range === 'whole' ? [200, {}] : [206, rangeHeaders(range, file.size)];
  if (request.method === 'HEAD') return void response.writeHead(status, headers).end();
  const bytes = await file.read(range === 'whole' ? undefined : range);
  response.writeHead(status, { ...headers, ...part });
  await pipeline(bytes, response);
}
