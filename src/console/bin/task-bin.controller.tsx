import { Get, Post } from '@nestjs/common';
import { notFound, Refusal } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { BinService } from '../../tasks/bin/bin.service.js';
import { Pages } from '../console-controller.js';
import { pageReply, seeOther } from '../page.js';
import { taskPath } from '../task-shown.js';
import { CurrentPlace, type TaskPagePlace, TaskPages } from '../task/task-pages.js';
import { DeletedPage, PartlyRestoredPage } from './bin-pages.js';
import { DeletePage, isDeletable } from './delete-part.js';

/** Asks before a task is deleted, says that it is, and restores it. */
@Pages('workflows/:workflow/tasks/:task')
export class TaskBinController {
  constructor(
    private readonly pages: TaskPages,
    private readonly bin: BinService,
  ) {}

  @Get('delete')
  async ask(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const found = await this.pages.find(place);
    if (!isDeletable(found)) throw notFound();
    return pageReply(<DeletePage to={place.to} {...found} />);
  }

  @Get('deleted')
  async deleted(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const scope = await this.pages.enter(place);
    const deleted = await this.bin.find(scope, place.publicId);
    return pageReply(<DeletedPage to={place.to} scope={scope} deleted={deleted} />);
  }

  @Post('restore')
  async restore(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const { to, publicId } = place;
    const scope = await this.pages.enter(place);
    try {
      const restored = await this.bin.restore(scope, publicId);
      const path = taskPath(scope.workflow, restored.task);
      if (restored.left.length === 0) return seeOther(path);
      return seeOther(
        `${path}/restored?${new URLSearchParams(restored.left.map((name) => ['left', name])).toString()}`,
      );
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'conflict') throw error;
      const deleted = await this.bin.find(scope, publicId);
      const notice = { tone: 'bad', lines: [to.words.said(error.said)] } as const;
      return pageReply(<DeletedPage to={to} scope={scope} deleted={deleted} notice={notice} />, {
        status: 409,
      });
    }
  }

  /** Tells what did not come back, by the names that the address has of the workflow. */
  @Get('restored')
  async restored(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const { scope, task } = await this.pages.find(place);
    const left = place.query.getAll('left').filter((name) => scope.workflow.schema.byName.has(name));
    return pageReply(<PartlyRestoredPage to={place.to} scope={scope} restored={{ task, left }} />);
  }
}
