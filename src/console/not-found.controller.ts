import { Get } from '@nestjs/common';
import { notFound } from '../lib/errors.js';
import { Pages } from './console-controller.js';

/** What is nowhere among the pages; behind all other controllers. */
@Pages()
export class NotFoundController {
  @Get(['workflows/*path', 'admin/*path'])
  refuse(): never {
    throw notFound();
  }
}
