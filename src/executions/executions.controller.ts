import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import { ApiRefusals } from '../common/openapi/answers.js';
import { ref } from '../common/openapi/vocabulary.js';
import { Address, type RequestAddress } from '../common/http/paged-list.js';
import { listReply } from '../common/http/replies.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { SmallJsonPayload } from '../common/http/read-body.js';
import { PreferredWait } from '../common/http/preferred-wait.js';
import { Parameters } from '../common/http/query.decorator.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Reply } from '../common/reply.js';
import {
  ExecutionQuery,
  ExecutionsQuery,
  executionReply,
  startedReply,
  StartPayload,
  ShownExecution,
} from './execution.dto.js';
import { ExecutionsService } from './executions.service.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/executions')
@ApiTags('Actions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Post()
  @ApiOperation({ summary: 'Start an action in the background; poll the execution, or wait with `Prefer`' })
  @ApiBody({ type: StartPayload })
  @ApiOkResponse({
    description: 'The execution has ended: during the wait or, for a repeated request, perhaps earlier.',
    type: ShownExecution,
  })
  @ApiAcceptedResponse({ description: 'The execution is pending.', type: ShownExecution })
  @ApiUnprocessableEntityResponse({
    description: 'A requirement of the action is not met, or a value or parameter of the request is invalid.',
    schema: { oneOf: [ref('RefusedExecution'), ref('FieldErrors')] },
  })
  async startExecution(
    @CurrentScope() scope: Scope,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @PreferredWait() wait: number,
  ): Promise<Reply> {
    const options = { idempotencyKey, waitMs: wait * 1000 };
    return startedReply(scope.workflow, await this.executions.start(scope, payload, options), wait);
  }

  @Get()
  @ApiOperation({ summary: 'List executions, newest first' })
  @ApiOkResponse({ type: [ShownExecution] })
  async listExecutions(
    @CurrentScope() scope: Scope,
    @Parameters(ExecutionsQuery) query: ExecutionsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.executions.list(scope, query, address));
  }

  @Get(':execution_id')
  @ApiOperation({ summary: 'Read an execution' })
  @ApiOkResponse({ type: ShownExecution })
  async readExecution(
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
  @ApiOperation({ summary: 'Cancel an execution; 409 if it has begun or ended' })
  @ApiNoContentResponse()
  @ApiRefusals(409)
  async cancelExecution(@CurrentScope() scope: Scope, @Param('execution_id') id: string): Promise<void> {
    await this.executions.cancel(scope, id);
  }
}
