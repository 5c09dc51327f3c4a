import { Controller, Get, Param } from '@nestjs/common';
import { type Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { CurrentPrincipal } from '../auth/current.decorators.js';
import { type Principal } from '../auth/api-keys.js';
import { FilesService, type OpenFile } from './files.service.js';
import { isKnown } from '../http/etag.js';
import { Refusal } from '../lib/errors.js';
import { Reply } from '../lib/reply.js';
import { downloadHeaders, parseRange, rangeHeaders, type WayOfFile } from './download-headers.js';

/** Downloads of attachments. */
@Controller('api/v1/files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get(':blob_id')
  async read(@CurrentPrincipal() principal: Principal, @Param('blob_id') blobId: string): Promise<Reply> {
    return fileReply(await this.files.find(principal.workspaceId, blobId, principal));
  }
}

/** Answers with a file, or the requested part of it, at the client's pace. */
export function fileReply(file: OpenFile, way?: WayOfFile): Reply {
  return new Reply((response) => sendFile(response, file, way));
}

async function sendFile(response: Response, file: OpenFile, way?: WayOfFile): Promise<void> {
  const request = response.req;
  const headers = downloadHeaders(file, way);
  const tag = headers['ETag'] ?? '';
  if (isKnown(request.headers['if-none-match'], tag)) {
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
