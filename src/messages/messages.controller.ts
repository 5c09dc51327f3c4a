import { CurrentWorkspace } from '../workflows/model/current.decorators.js';
import { type Principal, CurrentPrincipal, AdminGuard } from '../common/request.js';
import { Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { Address, type RequestAddress } from '../common/http/paged-list.js';
import { Parameters } from '../common/http/query.decorator.js';
import { listReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { MessagesQuery, SentMessage } from './message.dto.js';
import { MessagesService } from './messages.service.js';

@Controller('api/v1/messages')
@UseGuards(AdminGuard)
@ApiTags('Messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get()
  @ApiOperation({ summary: 'List messages, newest first' })
  @ApiOkResponse({ type: [SentMessage] })
  async listMessages(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentPrincipal() principal: Principal,
    @Parameters(MessagesQuery) query: MessagesQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.messages.list(workspace, principal, query, address));
  }

  @Post(':message_id/retry')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send a message again' })
  async retryMessage(
    @CurrentWorkspace() workspace: Workspace,
    @Param('message_id') id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.messages.retry(workspace, id, key);
  }
}
