import { Get } from '@nestjs/common';
import { Replica } from '../../database/replica.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { LiveChanges } from '../live/live-changes.js';
import { pageReply } from '../page.js';
import { MyWork, seesTeam } from './my-work.js';
import { TeamPage } from './team-page.js';

/** How old figures of everybody's work may be: a page that is open is shown anew as soon as they change. */
const FIGURES_SECONDS = 5;

/** Who has how much, for who sees all tasks of a workflow; for others there is nothing here. */
@Pages('team')
export class TeamController {
  constructor(
    private readonly myWork: MyWork,
    private readonly changes: LiveChanges,
    private readonly replica: Replica,
  ) {}

  @Get()
  async read(@AskedHere() { to, request }: AskedOfPages): Promise<Reply> {
    if (!seesTeam(to)) throw notFound();
    request.staleReads = this.replica.readsWithin(FIGURES_SECONDS);
    const live = await this.changes.path(to, { of: 'team' }, request);
    return pageReply(<TeamPage to={to} team={await this.myWork.ofTeam(to, request)} live={live} />);
  }
}
