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
import { ApiRefusals } from '../common/openapi/answers.js';
import { type Request, type Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { type ByteRange, FilesService, type OpenFile } from './files.service.js';
import { isKnown } from '../common/http/replies.js';
import { Refusal } from '../common/errors.js';
import { type Reply } from '../common/reply.js';
import { create } from 'content-disposition';
import { parse } from 'content-type';

const bytes = { '*/*': { schema: { description: 'The bytes.' } } };

@Controller('api/v1/files')
@ApiTags('Attachments')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get(':blob_id')
  @ApiOperation({ summary: 'Download an attachment' })
  @ApiHeaders([
    { name: 'If-None-Match', description: 'The `ETag` of your copy; 304 if the file has not changed.' },
    { name: 'Range', description: 'One range of bytes.' },
    { name: 'If-Range', description: 'The `ETag` of the file to which the range belongs.' },
  ])
  @ApiOkResponse({ content: bytes })
  @ApiPartialContentResponse({ content: bytes })
  @ApiNotModifiedResponse({ description: 'Not modified.' })
  @ApiRefusals(416)
  async downloadFile(
    @CurrentPrincipal() principal: Principal,
    @Param('blob_id') blobId: string,
  ): Promise<Reply> {
    return fileReply(await this.files.find(principal.workspaceId, blobId, principal));
  }
}

/** Sends a file, or the requested range, as fast as the client reads. */
export function fileReply(file: OpenFile, way?: WayOfFile): Reply {
  return (response) => sendFile(response, file, way);
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

/** Returns the requested range; undefined for the whole file, for example if several ranges are requested. */
function wantedRange(request: Request, { size }: OpenFile, etag = ''): ByteRange | undefined {
  const condition = request.headers['if-range'] ?? etag;
  const ranges = request.method === 'GET' && condition === etag ? request.range(size) : undefined;
  if (ranges === -1)
    throw new Refusal('range-not-satisfiable', 'The file has no bytes in this range.', {
      'Content-Range': `bytes */${size}`,
    });
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length > 1) return undefined;
  return ranges[0];
}

function rangeHeaders({ start, end }: ByteRange, { size }: OpenFile): Record<string, string> {
  return { 'Content-Range': `bytes ${start}-${end}/${size}`, 'Content-Length': `${end - start + 1}` };
}

/** Returns the headers of a whole file. With them, browsers never treat the file as a page of this site. */
function downloadHeaders(
  file: Omit<OpenFile, 'read'>,
  way: WayOfFile = 'attachment',
): Record<string, string> {
  const type = harmless.get(mediaTypeOf(file)) ?? 'application/octet-stream';
  return {
    'Content-Type': type,
    'Content-Length': `${file.size}`,
    // In the form of RFC 6266 and RFC 8187.
    'Content-Disposition': create(file.filename.slice(0, 255).toWellFormed(), { type: way }),
    'X-Content-Type-Options': 'nosniff',
    // To display a picture, browsers generate a page, which needs styles.
    'Content-Security-Policy': `default-src 'none'; ${way === 'inline' ? "style-src 'unsafe-inline'; " : ''}sandbox`,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
    'Accept-Ranges': 'bytes',
    ETag: `"${file.sha256.toString('hex')}"`,
  };
}

/** Whether browsers save the file or display it. Scripts in the file never run. */
type WayOfFile = 'attachment' | 'inline';

/** Returns the media type from the upload, without parameters. */
export const mediaTypeOf = ({ contentType }: Pick<OpenFile, 'contentType'>): string =>
  parse(contentType).type;

/** The media types that browsers can display safely, each with its value of `Content-Type`. */
const harmless = new Map([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
  ['application/pdf', 'application/pdf'],
  ['text/plain', 'text/plain; charset=utf-8'],
]);
