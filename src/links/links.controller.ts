import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { CurrentWorkflow } from '../auth/current.decorators.js';
import { Demanded } from '../http/etag.js';
import { Address, PageQuery, type RequestAddress } from '../http/paged-list.js';
import { listReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
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
    @Parameters(PageQuery) page: PageQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.links.list(workflow, { task: uniqueId, relationship }, page, address));
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
    await this.links.add(workflow, { task: uniqueId, relationship }, other, precondition);
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
    await this.links.remove(workflow, { task: uniqueId, relationship }, other, precondition);
  }
}
