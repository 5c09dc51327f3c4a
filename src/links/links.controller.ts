import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../auth/current.decorators.js';
import { Demanded } from '../http/etag.js';
import { Page, requestAddress } from '../http/paged-list.js';
import { sendList } from '../http/reply.js';
import { Parameters } from '../http/query.decorator.js';
import { type Precondition } from '../task-store/task-row.js';
import { type Workflow } from '../workspace/workspace.js';
import { LinksService } from './links.service.js';

/** The links of a task, one at a time. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/links/:relationship')
export class LinksController {
  constructor(private readonly links: LinksService) {}

  @Get()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Param('relationship') relationship: string,
    @Parameters(Page) page: Page,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const path = { uniqueId, relationship };
    await sendList(response, await this.links.list(workflow, path, page, requestAddress(request)));
  }

  @Put(':other_unique_id')
  @HttpCode(204)
  async add(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Param('relationship') relationship: string,
    @Param('other_unique_id') other: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.links.add(workflow, { uniqueId, relationship }, other, precondition);
  }

  @Delete(':other_unique_id')
  @HttpCode(204)
  async remove(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Param('relationship') relationship: string,
    @Param('other_unique_id') other: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.links.remove(workflow, { uniqueId, relationship }, other, precondition);
  }
}
