import { Get } from '@nestjs/common';
import { notFound } from '../../common/errors.js';
import { type Reply } from '../../common/reply.js';
import { Pages } from '../console-controller.js';
import { pageReply } from '../page.js';
import { DeletePage, isDeletable } from './delete-part.js';
import { CurrentPlace, type TaskPagePlace, TaskPages } from './task-pages.js';

/** Asks before a task is deleted, for browsers without JavaScript. */
@Pages('workflows/:workflow/tasks/:task')
export class DeleteTaskController {
  constructor(private readonly pages: TaskPages) {}

  @Get('delete')
  async ask(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const found = await this.pages.find(place);
    if (!isDeletable(found)) throw notFound();
    return pageReply(<DeletePage {...found} />);
  }
}
