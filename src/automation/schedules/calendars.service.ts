import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type Repository } from 'typeorm';
import { walk } from '../../workflows/time/walk.js';
import { WorkspaceEntity } from '../../workflows/model/entities/workspace.entity.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { noCalendar } from '../../workflows/model/not-found.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { type CalendarWalk, parseTrial, showWalk } from './calendar.dto.js';

@Injectable()
export class CalendarsService {
  constructor(@InjectRepository(WorkspaceEntity) private readonly rows: Repository<WorkspaceEntity>) {}

  /** Adds a duration by the calendar of this id, day by day; 404 if it does not exist. */
  async try(
    { id: workspaceId, calendars }: Workspace,
    id: string,
    body: JsonObject,
    key: string | undefined,
  ): Promise<CalendarWalk> {
    const calendar = calendars.get(id);
    if (!calendar) throw noCalendar([...calendars.keys()], id);
    const asked = { route: 'calendars/try', path: [id], body };
    const request = idempotentRequest({ workspaceId, workflow: { slug: '' } }, key, asked);
    const answer = (): Promise<CalendarWalk> => {
      const { from, add } = parseTrial(calendar, body);
      return Promise.resolve(showWalk(walk(calendar, from, add)));
    };
    // Only storing an idempotency key needs a transaction.
    return request ? this.rows.manager.transaction((tx) => once(tx, request, answer)) : answer();
  }
}
