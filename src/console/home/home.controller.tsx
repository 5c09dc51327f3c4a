import { Get, Req } from '@nestjs/common';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { notFound } from '../../common/errors.js';
import { readQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { OpenPages, AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { MyWork } from '../../executions/my-work.js';
import { pageReply, seeOther } from '../page.js';
import { HomePage } from './home-page.js';
import { type PageRequest } from '../reader.js';
import { Readers } from '../session.guard.js';
import { seesTeam, TeamLoads } from '../../tasks/team-loads.js';
import { TeamPage } from './team-page.js';

/** Shows users their tasks at `/`. Redirects programs to the description of the API. */
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
    const workflows = [...reader.workspace.workflows.values()];
    const waiting = readQuery(request.originalUrl).get('waiting');
    if (waiting !== null && !/^\d{1,9}(\.\d{1,18}\.\d{1,9})?$/.test(waiting)) throw notFound();
    const found = await this.approvals.openFor(workflows, reader.user, waiting ?? '0', MAX_DECISIONS);
    const decisions = { decisions: found.rows, next: found.next };
    if (waiting !== null) return pageReply(<HomePage {...decisions} onlyDecisions />);
    return pageReply(<HomePage groups={await this.myWork.of(reader, request.deadline)} {...decisions} />);
  }
}

/** How many waiting approvals the page reads at once. */
const MAX_DECISIONS = 100;

/** The open work of each user, for readers who see all tasks of a workflow; 404 for others. */
@Pages('team')
export class TeamController {
  constructor(private readonly loads: TeamLoads) {}

  @Get()
  async read(@AskedHere() { reader, request }: AskedOfPages): Promise<Reply> {
    if (!seesTeam(reader)) throw notFound();
    return pageReply(<TeamPage team={await this.loads.seenBy(reader, request.deadline)} />);
  }
}
