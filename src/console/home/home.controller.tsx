import { Get, Req } from '@nestjs/common';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { type Reply } from '../../lib/reply.js';
import { OpenPages } from '../console-controller.js';
import { MyWork } from '../../executions/my-work.js';
import { pageReply, seeOther } from '../page.js';
import { HomePage } from './home-page.js';
import { type PageRequest } from '../reader.js';
import { Readers } from '../session.guard.js';

/** Shows people their tasks at `/`, and redirects programs to the description of the interface. */
@OpenPages()
export class HomeController {
  constructor(
    private readonly readers: Readers,
    private readonly myWork: MyWork,
    private readonly approvals: ApprovalsService,
  ) {}

  @Get()
  async read(@Req() request: PageRequest): Promise<Reply> {
    if (request.accepts(['json', 'html']) !== 'html') return seeOther('docs');
    const reader = await this.readers.require(request);
    request.reader = reader;
    const work = await this.myWork.of(reader, request.deadline);
    const { rows: decisions, next } = await this.approvals.openFor(
      reader.workspace,
      reader.user,
      '0',
      MAX_DECISIONS,
    );
    const hasMore = next !== undefined;
    return pageReply(<HomePage {...{ ...work, decisions, hasMore }} />);
  }
}

/** Of those that wait for the reader. */
const MAX_DECISIONS = 20;
