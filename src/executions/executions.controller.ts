import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { listReply } from '../http/replies.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { PreferredWait } from '../http/preferred-wait.js';
import { Parameters } from '../http/query.decorator.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Reply } from '../lib/reply.js';
import { ExecutionQuery, ExecutionsQuery, executionReply, startedReply } from './execution.dto.js';
import { ExecutionsService } from './executions.service.js';
import { type Scope } from '../workspace/scope.js';

/** The endpoints of executions, interface.md 4.4. */
@Controller('api/v1/workflows/:workflow_id/executions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Post()
  async start(
    @CurrentScope() scope: Scope,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @PreferredWait() wait: number,
  ): Promise<Reply> {
    const options = { idempotencyKey, waitMs: wait * 1000 };
    return startedReply(scope.workflow, await this.executions.start(scope, payload, options), wait);
  }

  @Get()
  async list(
    @CurrentScope() scope: Scope,
    @Parameters(ExecutionsQuery) query: ExecutionsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.executions.list(scope, query, address));
  }

  @Get(':execution_id')
  async read(
    @CurrentScope() scope: Scope,
    @Param('execution_id') id: string,
    @Parameters(ExecutionQuery) { _verbose }: ExecutionQuery,
    @PreferredWait() wait: number,
  ): Promise<Reply> {
    const shown = { wait, isVerbose: _verbose === 'true' };
    return executionReply(scope.workflow, await this.executions.read(scope, id, wait * 1000), shown);
  }

  @Delete(':execution_id')
  @HttpCode(204)
  async cancel(@CurrentScope() scope: Scope, @Param('execution_id') id: string): Promise<void> {
    await this.executions.cancel(scope, id);
  }
}
