import { Get, Inject, Req } from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { notFound } from '../lib/errors.js';
import { type Reply } from '../lib/reply.js';
import { OpenPages } from './console-controller.js';
import { pageReply } from './page.js';
import { StyleguidePage } from './pages/styleguide-page.js';
import { anybody } from './reader.js';

/** The parts that pages are assembled from, for those who make pages. */
@OpenPages('console/styleguide')
export class StyleguideController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get()
  page(@Req() request: Request): Reply {
    if (!this.config.isDevelopment) throw notFound();
    return pageReply(<StyleguidePage to={anybody(request)} />);
  }
}
