import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Address, type RequestAddress } from '../../common/http/paged-list.js';
import { Parameters } from '../../common/http/query.decorator.js';
import { listReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { type Scope } from '../../workflows/model/scope.js';
import { RunsQuery, ShownRun } from './run.dto.js';
import { RunsService } from './runs.service.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/runs')
@ApiTags('Rules')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Get()
  @ApiOperation({ summary: 'List the runs on a task, newest first' })
  @ApiOkResponse({ type: [ShownRun] })
  async listRunsOfTask(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(RunsQuery) query: RunsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.runs.listOfTask(scope, uniqueId, query, address));
  }
}
