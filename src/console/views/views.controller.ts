import { Get, Param } from '@nestjs/common';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { CurrentReader, Pages } from '../console-controller.js';
import { seeOther } from '../page.js';
import { type SignedIn } from '../reader.js';
import { pathOfView } from './fitting-query.js';

/** Boards and lists under names. */
@Pages('views')
export class ViewsController {
  @Get(':view')
  open(@CurrentReader() { views }: SignedIn, @Param('view') id: string): Reply {
    const view = views.find((each) => each.id === id);
    if (!view) throw notFound();
    return seeOther(pathOfView(view));
  }
}
