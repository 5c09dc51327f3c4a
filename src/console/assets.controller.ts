import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../lib/errors.js';
import { Reply } from '../lib/reply.js';
import { Public } from '../ops/health.controller.js';
import { type Asset, assetOf } from './assets.js';

/** The files that pages are made of; each is kept by browsers for ever. */
@Public()
@ApiExcludeController()
@Controller('console/assets/:version')
export class AssetsController {
  @Get(':name')
  read(@Param('version') version: string, @Param('name') name: string): Reply {
    const asset = assetOf(version, name);
    if (!asset) throw notFound();
    return assetReply(asset);
  }
}

/** Answers with a file, to be kept for ever: its path holds its hash. */
function assetReply({ type, bytes, compressed }: Asset): Reply {
  return new Reply(async (response) => {
    const isCompressed = response.req.acceptsEncodings('br') === 'br';
    const content = isCompressed ? await compressed() : bytes;
    response.vary('Accept-Encoding');
    response.writeHead(200, {
      'Content-Type': type,
      'Content-Length': content.length,
      ...(isCompressed && { 'Content-Encoding': 'br' }),
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    response.end(content);
  });
}
