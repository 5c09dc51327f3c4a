import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { createdReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Scope } from '../workspace/scope.js';
import { type ShownTimer } from './timer.dto.js';
import { TimersService } from './timers.service.js';

const of = 'unique_id';

/** The timers of a task, which start actions later. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/timers')
export class TimersController {
  constructor(private readonly timers: TimersService) {}

  @Get()
  async list(@CurrentScope() scope: Scope, @Param(of) uniqueId: string): Promise<ShownTimer[]> {
    return this.timers.list(scope, uniqueId);
  }

  @Post()
  async add(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return createdReply(await this.timers.add(scope, uniqueId, payload, key));
  }

  @Put(':timer_id')
  async replace(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @Param('timer_id') id: string,
    @SmallJsonPayload() payload: JsonObject,
  ): Promise<ShownTimer> {
    return this.timers.replace(scope, uniqueId, id, payload);
  }

  @Delete(':timer_id')
  @HttpCode(204)
  async remove(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @Param('timer_id') id: string,
  ): Promise<void> {
    await this.timers.remove(scope, uniqueId, id);
  }
}
