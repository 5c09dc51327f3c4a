import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentWorkflow } from '../auth/current.decorators.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { listReply } from '../http/replies.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { PreferredWait } from '../http/preferred-wait.js';
import { Parameters } from '../http/query.decorator.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Reply } from '../lib/reply.js';
import { type Workflow } from '../workspace/workspace.js';
import { ExecutionQuery, ExecutionsQuery, executionReply, startedReply } from './execution.dto.js';
import { ExecutionsService } from './executions.service.js';

/** The endpoints of executions, interface.md 4.4. */
@Controller('api/v1/workflows/:workflow_id/executions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Post()
  async start(
    @CurrentWorkflow() workflow: Workflow,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @PreferredWait() wait: number,
  ): Promise<Reply> {
    const options = { idempotencyKey, waitMs: wait * 1000 };
    return startedReply(workflow, await this.executions.start(workflow, payload, options), wait);
  }

  @Get()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Parameters(ExecutionsQuery) query: ExecutionsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.executions.list(workflow, query, address));
  }

  @Get(':execution_id')
  async read(
    @CurrentWorkflow() workflow: Workflow,
    @Param('execution_id') id: string,
    @Parameters(ExecutionQuery) { _verbose }: ExecutionQuery,
    @PreferredWait() wait: number,
  ): Promise<Reply> {
    const shown = { wait, isVerbose: _verbose === 'true' };
    return executionReply(workflow, await this.executions.read(workflow, id, wait * 1000), shown);
  }

  @Delete(':execution_id')
  @HttpCode(204)
  async cancel(@CurrentWorkflow() workflow: Workflow, @Param('execution_id') id: string): Promise<void> {
    await this.executions.cancel(workflow, id);
  }
}
