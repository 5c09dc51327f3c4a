import { Controller, Get, Param } from '@nestjs/common';
import { CurrentScope } from '../../auth/current.decorators.js';
import { Address, type RequestAddress } from '../../http/paged-list.js';
import { Parameters } from '../../http/query.decorator.js';
import { listReply } from '../../http/replies.js';
import { type Reply } from '../../lib/reply.js';
import { type Scope } from '../../workspace/scope.js';
import { RunsQuery } from './run.dto.js';
import { RunsService } from './runs.service.js';

/** The runs of rules, clocks, schedules and timers on a task. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Get()
  async list(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(RunsQuery) query: RunsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.runs.listOfTask(scope, uniqueId, query, address));
  }
}
