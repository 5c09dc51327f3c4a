import { CurrentScope, CurrentWorkspace } from '../workflows/model/current.decorators.js';
import { type Principal, CurrentPrincipal } from '../common/request.js';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DescribedEvent } from './event.dto.js';
import { ApiRefusals } from '../common/openapi/answers.js';
import { FeedQuery } from './feed-query.js';
import { Address, PageQuery, type RequestAddress } from '../common/http/paged-list.js';
import { PreferredWait } from '../common/http/preferred-wait.js';
import { Parameters } from '../common/http/query.decorator.js';
import { listReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { EventsService } from './events.service.js';
import { HistoryService } from './history.service.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/events')
@ApiTags('Events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @ApiOperation({ summary: 'List events, oldest first. `Link` is the next page, which may be empty' })
  @ApiQuery({ type: FeedQuery })
  @ApiOkResponse({ type: [DescribedEvent] })
  @ApiRefusals(410)
  listEvents(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentPrincipal() principal: Principal,
    @Address() address: RequestAddress,
    @PreferredWait() wait: number,
  ): Reply {
    return this.events.read({ workspace, principal, address, waitMs: wait * 1000 });
  }
}

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/history')
@ApiTags('Events')
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get()
  @ApiOperation({ summary: 'List the events of a task, newest first' })
  @ApiOkResponse({ type: [DescribedEvent] })
  async listHistory(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(PageQuery) page: PageQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.history.list(scope, uniqueId, page, address));
  }
}
