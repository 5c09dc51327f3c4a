import { CurrentWorkspace } from '../../workflows/model/current.decorators.js';
import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotencyKey } from '../../common/http/idempotency.js';
import { SmallJsonPayload } from '../../common/http/read-body.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { CalendarWalk, CalendarPayload } from './calendar.dto.js';
import { CalendarsService } from './calendars.service.js';

@Controller('api/v1/calendars')
@ApiTags('Schedules')
export class CalendarsController {
  constructor(private readonly calendars: CalendarsService) {}

  @Post(':calendar_id/try')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Add a duration by a calendar',
    description: 'Shows when the duration ends, and how much of it each day counts. Nothing is stored.',
  })
  @ApiBody({ type: CalendarPayload })
  @ApiOkResponse({ description: 'The end of the duration.', type: CalendarWalk })
  async tryCalendar(
    @CurrentWorkspace() workspace: Workspace,
    @Param('calendar_id') id: string,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<CalendarWalk> {
    return this.calendars.try(workspace, id, payload, key);
  }
}
