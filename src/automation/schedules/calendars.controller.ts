import { CurrentWorkspace } from '../../workflows/model/current.decorators.js';
import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SmallJsonPayload } from '../../common/http/read-body.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { noCalendar } from '../../workflows/model/not-found.js';
import { walk } from '../../workflows/time/walk.js';
import { CalendarWalk, CalendarPayload, parseTrial, showWalk } from './calendar.dto.js';

@Controller('api/v1/calendars')
@ApiTags('Schedules')
export class CalendarsController {
  @Post(':calendar_id/try')
  @HttpCode(200)
  @ApiOperation({ summary: 'Show when a duration by a calendar ends; nothing is stored' })
  @ApiBody({ type: CalendarPayload })
  @ApiOkResponse({ type: CalendarWalk })
  tryCalendar(
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
