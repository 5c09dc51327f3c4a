import { Get } from '@nestjs/common';
import { notFound } from '../../common/errors.js';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { pageReply } from '../page.js';
import { seesTeam, TeamLoads } from '../../tasks/team-loads.js';
import { TeamPage } from './team-page.js';

/** Who has how much, for who sees all tasks of a workflow; for others there is nothing here. */
@Pages('team')
export class TeamController {
  constructor(private readonly loads: TeamLoads) {}

  @Get()
  async read(@AskedHere() { reader, request }: AskedOfPages): Promise<Reply> {
    if (!seesTeam(reader)) throw notFound();
    return pageReply(<TeamPage team={await this.loads.seenBy(reader, request.deadline)} />);
  }
}
