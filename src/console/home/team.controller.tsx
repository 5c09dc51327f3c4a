import { Get } from '@nestjs/common';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { LiveChanges } from '../live/live-changes.js';
import { pageReply } from '../page.js';
import { seesTeam, TeamLoads } from '../../tasks/team-loads.js';
import { TeamPage } from './team-page.js';

/** Who has how much, for who sees all tasks of a workflow; for others there is nothing here. */
@Pages('team')
export class TeamController {
  constructor(
    private readonly loads: TeamLoads,
    private readonly changes: LiveChanges,
  ) {}

  @Get()
  async read(@AskedHere() { to, request }: AskedOfPages): Promise<Reply> {
    if (!seesTeam(to)) throw notFound();
    const live = await this.changes.path(to, { of: 'team' });
    return pageReply(<TeamPage to={to} team={await this.loads.seenBy(to, request.deadline)} live={live} />);
  }
}
