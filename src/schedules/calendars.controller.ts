import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentWorkspace } from '../auth/current.decorators.js';
import { walk } from '../calendars/walk.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { noCalendar } from '../workspace/not-found.js';
import { type Workspace } from '../workspace/workspace.js';
import { type CalendarWalk, parseTrial, showWalk } from './calendar.dto.js';

/** The calendars of a workspace. */
@Controller('api/v1/calendars')
export class CalendarsController {
  @Post(':calendar_id/try')
  @HttpCode(200)
  try(
    @CurrentWorkspace() { calendars }: Workspace,
    @Param('calendar_id') id: string,
    @SmallJsonPayload() payload: JsonObject,
  ): CalendarWalk {
    const calendar = calendars.get(id);
    if (!calendar) throw noCalendar([...calendars.keys()], id);
    const { from, add } = parseTrial(calendar, payload);
    return showWalk(walk(calendar, from, add));
  }
}
