import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../auth/current.decorators.js';
import { Demanded } from '../http/etag.js';
import { requestAddress } from '../http/paged-list.js';
import { sendList, sendRead, sendWritten } from '../http/reply.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { JsonPayload } from '../http/json-body.pipe.js';
import { JudgesQuery } from '../ops/query.js';
import { type Precondition } from '../task-store/task-row.js';
import { type JsonObject } from '../lib/json/json.js';
import { type Workflow } from '../workspace/workspace.js';
import { TaskLists } from './list/task-lists.service.js';
import { TasksService } from './tasks.service.js';
import { type Write } from './write-task.js';

/** The endpoints of interface.md 4.1. */
@Controller('api/v1/workflows/:workflow_id/tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly lists: TaskLists,
  ) {}

  @Get()
  @JudgesQuery()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.lists.use(workflow, { ...requestAddress(request), isActive: false }, (list) =>
      sendList(response, list),
    );
  }

  @Get('active')
  @JudgesQuery()
  async active(
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.lists.use(workflow, { ...requestAddress(request), isActive: true }, (list) =>
      sendList(response, list),
    );
  }

  @Get(':unique_id')
  async read(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendRead(request, response, await this.tasks.read(workflow, uniqueId));
  }

  @Post()
  async upsert(
    @CurrentWorkflow() workflow: Workflow,
    @JsonPayload() payload: JsonObject,
    @Demanded() precondition: Precondition,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const write: Write = { verb: 'upsert', payload, precondition, idempotencyKey };
    await sendWritten(response, await this.tasks.write(workflow, write));
  }

  @Put()
  async update(
    @CurrentWorkflow() workflow: Workflow,
    @JsonPayload() payload: JsonObject,
    @Demanded() precondition: Precondition,
    @Res() response: Response,
  ): Promise<void> {
    await sendWritten(response, await this.tasks.write(workflow, { verb: 'update', payload, precondition }));
  }

  @Delete(':unique_id')
  @HttpCode(204)
  async delete(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.tasks.delete(workflow, uniqueId, precondition);
  }
}
