import { Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { AdminGuard } from '../auth/guards.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { Parameters } from '../http/query.decorator.js';
import { listReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { RunsQuery } from '../executions/runs/run.dto.js';
import { RunsService } from '../executions/runs/runs.service.js';
import { type Scope } from '../workspace/scope.js';
import { type ShownSchedule } from './schedule.dto.js';
import { SchedulesService } from './schedules.service.js';

const at = 'schedule_id';

/** The schedules of a workflow, which repeat work by the clock. */
@Controller('api/v1/workflows/:workflow_id/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly runs: RunsService,
  ) {}

  @Get()
  async list(@CurrentScope() scope: Scope): Promise<ShownSchedule[]> {
    return this.schedules.list(scope);
  }

  @Get(':schedule_id/runs')
  async listRuns(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @Parameters(RunsQuery) query: RunsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    this.schedules.require(scope, id);
    return listReply(await this.runs.listOfStarter(scope, 'schedule', id, query, address));
  }

  @Post(':schedule_id/run')
  @HttpCode(202)
  @UseGuards(AdminGuard)
  async run(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.schedules.run(scope, id, key);
  }

  @Post(':schedule_id/pause')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  async pause(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownSchedule> {
    return this.schedules.pause(scope, id, true, key);
  }

  @Post(':schedule_id/resume')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  async resume(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownSchedule> {
    return this.schedules.pause(scope, id, false, key);
  }
}
