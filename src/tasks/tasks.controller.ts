import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../access/current.decorators.js';
import { JsonPayload } from '../payloads/json-payload.pipe.js';
import { type JsonObject } from '../schema/json.js';
import { type Workflow } from '../workflows/workspace.js';
import { queryOf, sendList, sendTask } from './send.js';
import { TasksService } from './tasks.service.js';

/** The endpoints of interface.md 4.1. */
@Controller('api/v1/workflows/:workflow_id/tasks')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  @Get()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, this.tasks.list(workflow, queryOf(request), false));
  }

  @Get('active')
  async active(
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, this.tasks.list(workflow, queryOf(request), true));
  }

  @Get(':unique_id')
  async read(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Res() response: Response,
  ): Promise<void> {
    sendTask(response, await this.tasks.read(workflow, uniqueId));
  }

  @Post()
  async upsert(
    @CurrentWorkflow() workflow: Workflow,
    @JsonPayload() payload: JsonObject,
    @Res() response: Response,
  ): Promise<void> {
    sendTask(response, await this.tasks.upsert(workflow, payload));
  }

  @Put()
  async update(
    @CurrentWorkflow() workflow: Workflow,
    @JsonPayload() payload: JsonObject,
    @Res() response: Response,
  ): Promise<void> {
    sendTask(response, await this.tasks.update(workflow, payload));
  }

  @Delete(':unique_id')
  @HttpCode(204)
  async delete(@CurrentWorkflow() workflow: Workflow, @Param('unique_id') uniqueId: string): Promise<void> {
    await this.tasks.delete(workflow, uniqueId);
  }
}
