import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { Public } from '../../ops/health.controller.js';
import { assetReply } from '../assets.controller.js';
import { Branding } from './brand.js';

/** The logo and the colours of those who run the service. */
@Public()
@ApiExcludeController()
@Controller('console/brand/:version')
export class BrandController {
  constructor(private readonly branding: Branding) {}

  @Get(':name')
  read(@Param('version') version: string, @Param('name') name: string): Reply {
    const asset = this.branding.file(version, name);
    if (!asset) throw notFound();
    return assetReply(asset, alone);
  }
}

/** Who opens a picture by itself gets no script to run that somebody has hidden in it. */
const alone = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" };
