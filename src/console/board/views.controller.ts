import { Get, Param } from '@nestjs/common';
import { notFound } from '../../common/errors.js';
import { type Reply } from '../../common/reply.js';
import { CurrentReader, Pages } from '../console-controller.js';
import { seeOther } from '../page.js';
import { type SignedIn } from '../reader.js';
import { pathAs, VIEW } from './addresses.js';

/** Boards and lists under names. */
@Pages('views')
export class ViewsController {
  /** Leads to a board or list that knows from which view it came. */
  @Get(':view')
  open(@CurrentReader() { views }: SignedIn, @Param('view') id: string): Reply {
    const view = views.find((each) => each.id === id);
    if (!view) throw notFound();
    const query = new URLSearchParams(view.query);
    query.set(VIEW, id);
    return seeOther(pathAs(view.as)(view.workflow, query));
  }
}
