import { Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { sends } from '../openapi/answers.js';
import { CurrentScope } from '../auth/current.decorators.js';
import { AdminGuard } from '../auth/guards.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { Parameters } from '../http/query.decorator.js';
import { listReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { RunsQuery, ShownRun } from '../executions/runs/run.dto.js';
import { RunsService } from '../executions/runs/runs.service.js';
import { type Scope } from '../workspace/scope.js';
import { ShownSchedule } from './schedule.dto.js';
import { SchedulesService } from './schedules.service.js';

const at = 'schedule_id';

/** The schedules of a workflow, which repeat work by the clock. */
@Controller('api/v1/workflows/:workflow_id/schedules')
@ApiTags('Schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly runs: RunsService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the schedules of a workflow',
    description: 'In the order of the definition, which has their settings, with the next five firings.',
  })
  @ApiOkResponse({ description: 'The schedules.', type: [ShownSchedule] })
  async listSchedules(@CurrentScope() scope: Scope): Promise<ShownSchedule[]> {
    return this.schedules.list(scope);
  }

  @Get(':schedule_id/runs')
  @ApiOperation({
    summary: 'List the runs of a schedule, newest first',
    description:
      'One run for each task that it created or started an action on, and for each firing that was left out.',
  })
  @ApiOkResponse({ description: 'The runs.', type: [ShownRun] })
  async listRunsOfSchedule(
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
  @ApiOperation({
    summary: 'Fire a schedule now',
    description: 'In addition to its set times, even if it is paused. The result is a run.',
  })
  @ApiAcceptedResponse({ description: 'The schedule will fire.' })
  async runSchedule(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.schedules.run(scope, id, key);
  }

  @Post(':schedule_id/pause')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  @ApiOperation({
    summary: 'Pause a schedule',
    description: 'Its firings are `skipped` from now on, and are not made up for.',
  })
  @ApiOkResponse({ description: 'The schedule.', type: ShownSchedule, headers: sends('Event-Id') })
  async pauseSchedule(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownSchedule> {
    return this.schedules.pause(scope, id, true, key);
  }

  @Post(':schedule_id/resume')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  @ApiOperation({ summary: 'Resume a schedule', description: 'It fires at its next time.' })
  @ApiOkResponse({ description: 'The schedule.', type: ShownSchedule, headers: sends('Event-Id') })
  async resumeSchedule(
    @CurrentScope() scope: Scope,
    @Param(at) id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownSchedule> {
    return this.schedules.pause(scope, id, false, key);
  }
}
