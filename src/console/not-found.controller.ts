// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- The next route answers programs.
import { Get, Next, Req } from '@nestjs/common';
import { type NextFunction } from 'express';
import { notFound } from '../common/errors.js';
import { OpenPages } from './console-controller.js';
import { type PageRequest } from './reader.js';
import { Readers } from './session.guard.js';

/**
 * If a browser requests an unknown URL, answers with a page. For programs, calls the next route. This must be
 * the last controller of pages, because its route matches every path.
 */
@OpenPages()
export class NotFoundController {
  constructor(private readonly readers: Readers) {}

  @Get('{*path}')
  async refuse(@Req() request: PageRequest, @Next() next: NextFunction): Promise<void> {
    if (ofPrograms.test(request.path) || request.accepts(['json', 'html']) !== 'html') {
      next();
      return;
    }
    const reader = await this.readers.reader(request);
    if (reader) request.reader = reader;
    throw notFound();
  }
}

const ofPrograms = /^\/(?:api|docs|health)(?:\/|$)/;
