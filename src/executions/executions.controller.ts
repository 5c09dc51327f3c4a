import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../access/current.decorators.js';
import { requestAddress } from '../answers/request-address.js';
import { sendList } from '../answers/send.js';
import { IdempotencyKey } from '../idempotency/idempotency-key.decorator.js';
import { SmallJsonPayload } from '../payloads/json-payload.pipe.js';
import { Parameters } from '../payloads/parameters.decorator.js';
import { type JsonObject } from '../schema/json.js';
import { type Workflow } from '../workflows/workspace.js';
import { ExecutionQuery, ExecutionsQuery } from './executions-query.dto.js';
import { ExecutionsService } from './executions.service.js';
import { PreferredWait } from './prefer.decorator.js';
import { sendExecution, sendStarted } from './send-execution.js';

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
    @Res() response: Response,
  ): Promise<void> {
    const options = { idempotencyKey, waitMs: wait * 1000 };
    const execution = await this.executions.start(workflow, payload, options);
    await sendStarted(response, workflow, execution, wait);
  }

  @Get()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Parameters(ExecutionsQuery) query: ExecutionsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, await this.executions.list(workflow, query, requestAddress(request)));
  }

  @Get(':execution_id')
  async read(
    @CurrentWorkflow() workflow: Workflow,
    @Param('execution_id') id: string,
    @Parameters(ExecutionQuery) { _verbose }: ExecutionQuery,
    @PreferredWait() wait: number,
    @Res() response: Response,
  ): Promise<void> {
    const execution = await this.executions.read(workflow, id, wait * 1000);
    await sendExecution(response, workflow, execution, { wait, isVerbose: _verbose === 'true' });
  }

  @Delete(':execution_id')
  @HttpCode(204)
  async cancel(@CurrentWorkflow() workflow: Workflow, @Param('execution_id') id: string): Promise<void> {
    await this.executions.cancel(workflow, id);
  }
}
