import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Comment, CommentPayload } from './comment.dto.js';
import { Address, PageQuery, type RequestAddress } from '../common/http/paged-list.js';
import { createdReply, listReply } from '../common/http/replies.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { SmallJsonPayload } from '../common/http/read-body.js';
import { Parameters } from '../common/http/query.decorator.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Reply } from '../common/reply.js';
import { CommentsService } from './comments.service.js';
import { WriteQuery, WriteScope } from '../tasks/write-scope.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/comments')
@ApiTags('Comments')
export class CommentsController {
  constructor(private readonly comments: CommentsService) {}

  @Get()
  @ApiOperation({ summary: 'List the comments, oldest first' })
  @ApiOkResponse({ type: [Comment] })
  async listComments(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(PageQuery) page: PageQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.comments.list(scope, uniqueId, page, address));
  }

  @Post()
  @ApiOperation({ summary: 'Comment on a task' })
  @ApiBody({ type: CommentPayload })
  @ApiCreatedResponse({ type: Comment })
  async addComment(
    @WriteScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @SmallJsonPayload(WriteQuery) payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<Reply> {
    return createdReply(await this.comments.add(scope, uniqueId, payload, idempotencyKey));
  }
}
