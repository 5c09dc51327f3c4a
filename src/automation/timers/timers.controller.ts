import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { IdempotencyKey } from '../../common/http/idempotency.js';
import { createdReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { SmallJsonPayload } from '../../common/http/read-body.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { type Scope } from '../../workflows/model/scope.js';
import { ShownTimer, TimerPayload } from './timer.dto.js';
import { TimersService } from './timers.service.js';

const of = 'unique_id';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/timers')
@ApiTags('Timers')
export class TimersController {
  constructor(private readonly timers: TimersService) {}

  @Get()
  @ApiOperation({ summary: 'List the timers that wait' })
  @ApiOkResponse({ type: [ShownTimer] })
  async listTimers(@CurrentScope() scope: Scope, @Param(of) uniqueId: string): Promise<ShownTimer[]> {
    return this.timers.list(scope, uniqueId);
  }

  @Post()
  @ApiOperation({ summary: 'Start an action later: at a time, or after a duration' })
  @ApiBody({ type: TimerPayload })
  @ApiCreatedResponse({ type: ShownTimer })
  async addTimer(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return createdReply(await this.timers.add(scope, uniqueId, payload, key));
  }

  @Put(':timer_id')
  @ApiOperation({ summary: 'Change a timer; 404 if it has fired' })
  @ApiBody({ type: TimerPayload })
  @ApiOkResponse({ type: ShownTimer })
  async replaceTimer(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @Param('timer_id') id: string,
    @SmallJsonPayload() payload: JsonObject,
  ): Promise<ShownTimer> {
    return this.timers.replace(scope, uniqueId, id, payload);
  }

  @Delete(':timer_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove a timer; 404 if it has fired' })
  async removeTimer(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @Param('timer_id') id: string,
  ): Promise<void> {
    await this.timers.remove(scope, uniqueId, id);
  }
}
