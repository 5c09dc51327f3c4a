import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../access/current.decorators.js';
import { Demanded } from '../answers/demanded.decorator.js';
import { Page } from '../answers/page.dto.js';
import { requestAddress } from '../answers/request-address.js';
import { sendList } from '../answers/send.js';
import { Parameters } from '../payloads/parameters.decorator.js';
import { type Precondition } from '../records/precondition.js';
import { type Workflow } from '../workflows/workspace.js';
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
