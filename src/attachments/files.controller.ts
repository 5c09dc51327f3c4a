import { CurrentPrincipal, type Principal } from '../common/request.js';
import { Controller, Get, Param } from '@nestjs/common';
import {
  ApiHeaders,
  ApiNotModifiedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiPartialContentResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ApiRefusals, sends } from '../common/openapi/answers.js';
import { type Request, type Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { type ByteRange, FilesService, type OpenFile } from './files.service.js';
import { isKnown } from '../common/http/replies.js';
import { Refusal } from '../common/errors.js';
import { Reply } from '../common/reply.js';
import { downloadHeaders, type WayOfFile } from './download-headers.js';

const bytes = { '*/*': { schema: { description: 'The bytes.' } } };
/** The headers of `downloadHeaders`. */
const safe = sends(
  'ETag',
  'Content-Disposition',
  'X-Content-Type-Options',
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'Cache-Control',
  'Accept-Ranges',
);

/** Downloads of attachments. */
@Controller('api/v1/files')
@ApiTags('Attachments')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get(':blob_id')
  @ApiOperation({
    summary: 'Download an attachment',
    description:
      'The bytes as they were sent, always as an attachment. Ranges (RFC 9110) are supported, so a download can be resumed.',
  })
  @ApiHeaders([
    { name: 'If-None-Match', description: 'The `ETag` of what the client has; 304 if it has not changed.' },
    { name: 'Range', description: 'One range of bytes.' },
    { name: 'If-Range', description: 'The `ETag` of the file that the range belongs to.' },
  ])
  @ApiOkResponse({
    description: 'The file.',
    content: bytes,
    headers: { ...safe, ...sends('Content-Length') },
  })
  @ApiPartialContentResponse({
    description: 'A part of the file.',
    content: bytes,
    headers: { ...safe, ...sends('Content-Length', 'Content-Range') },
  })
  @ApiNotModifiedResponse({ description: 'Not modified.', headers: safe })
  @ApiRefusals(416)
  async downloadFile(
    @CurrentPrincipal() principal: Principal,
    @Param('blob_id') blobId: string,
  ): Promise<Reply> {
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
  if (isKnown(request.headers['if-none-match'], headers['ETag'] ?? '')) {
    const { 'Content-Length': _, 'Content-Type': _type, ...known } = headers;
    return void response.writeHead(304, known).end();
  }
  const range = wantedRange(request, file, headers['ETag']);
  if (request.method === 'HEAD') return void response.writeHead(200, headers).end();
  const bytes = await file.read(range);
  if (range) response.writeHead(206, { ...headers, ...rangeHeaders(range, file) });
  else response.writeHead(200, headers);
  await pipeline(bytes, response);
}

/** The bytes that a request wants; undefined for the whole file, also where it wants several ranges. */
function wantedRange(request: Request, { size }: OpenFile, etag = ''): ByteRange | undefined {
  const condition = request.headers['if-range'] ?? etag;
  const ranges = request.method === 'GET' && condition === etag ? request.range(size) : undefined;
  if (ranges === -1)
    throw new Refusal('range-not-satisfiable', 'The file ends before this range.', {
      'Content-Range': `bytes */${size}`,
    });
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length > 1) return undefined;
  return ranges[0];
}

function rangeHeaders({ start, end }: ByteRange, { size }: OpenFile): Record<string, string> {
  return { 'Content-Range': `bytes ${start}-${end}/${size}`, 'Content-Length': `${end - start + 1}` };
}
