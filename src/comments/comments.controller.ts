import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../access/current.decorators.js';
import { Page } from '../answers/page.dto.js';
import { requestAddress } from '../answers/request-address.js';
import { sendList } from '../answers/send.js';
import { IdempotencyKey } from '../idempotency/idempotency-key.decorator.js';
import { SmallJsonPayload } from '../payloads/json-payload.pipe.js';
import { Parameters } from '../payloads/parameters.decorator.js';
import { type JsonObject } from '../schema/json.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Comment } from './comment.js';
import { CommentsService } from './comments.service.js';

/** The comments of a task. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/comments')
export class CommentsController {
  constructor(private readonly comments: CommentsService) {}

  @Get()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Parameters(Page) page: Page,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, await this.comments.list(workflow, uniqueId, page, requestAddress(request)));
  }

  @Post()
  async add(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<Comment> {
    return this.comments.add(workflow, uniqueId, payload, idempotencyKey);
  }
}
