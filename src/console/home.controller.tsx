import { Get, Req } from '@nestjs/common';
import { frontReply } from '../openapi/front.controller.js';
import { serviceVersion } from '../lib/version.js';
import { type Reply } from '../lib/reply.js';
import { OpenPages } from './console-controller.js';
import { LiveChanges } from './live/live-changes.js';
import { MyTasks } from './my-tasks.js';
import { pageReply } from './page.js';
import { HomePage } from './pages/home-page.js';
import { type PageRequest } from './reader.js';
import { Sessions } from './session.guard.js';

/** What stands at the root: a page for people, what the service is for all others. */
@OpenPages()
export class HomeController {
  constructor(
    private readonly sessions: Sessions,
    private readonly myTasks: MyTasks,
    private readonly changes: LiveChanges,
  ) {}

  @Get()
  async read(@Req() request: PageRequest): Promise<Reply> {
    if (request.accepts(['json', 'html']) !== 'html') return frontReply(serviceVersion);
    const to = await this.sessions.require(request);
    request.reader = to;
    const groups = await this.myTasks.of(to, request);
    const waiting = groups.length === 0 ? await this.myTasks.waitingFor(to, request) : [];
    const live = await this.changes.path(to);
    return pageReply(<HomePage to={to} groups={groups} waiting={waiting} live={live} />);
  }
}
