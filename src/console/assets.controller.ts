import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../common/errors.js';
import { Reply } from '../common/reply.js';
import { Public } from '../common/ops/health.controller.js';
import { assetOf } from './assets.js';
import { sendCompressed } from './page.js';

/** The files that pages are made of. Their path holds their hash, so that browsers keep them for ever. */
@Public()
@ApiExcludeController()
@Controller('console/assets/:version')
export class AssetsController {
  @Get(':name')
  read(@Param('version') version: string, @Param('name') name: string): Reply {
    const asset = assetOf(version, name);
    if (!asset) throw notFound();
    return new Reply((response) => {
      sendCompressed(response, asset.bytes, 200, { 'Content-Type': asset.type, ...kept });
    });
  }
}

const kept = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
