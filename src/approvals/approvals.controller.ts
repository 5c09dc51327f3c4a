import { CurrentScope, CurrentWorkspace } from '../workflows/model/current.decorators.js';
import { type Principal, CurrentPrincipal } from '../common/request.js';
import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals, sends } from '../common/openapi/answers.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { Address, type RequestAddress } from '../common/http/paged-list.js';
import { Parameters } from '../common/http/query.decorator.js';
import { SmallJsonPayload } from '../common/http/read-body.js';
import { listReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Workspace } from '../workflows/model/workspace.js';
import {
  OpenApprovalsQuery,
  parseDecision,
  ShownApproval,
  DecisionPayload,
  OpenApproval,
} from './approval.dto.js';
import { ApprovalsService } from './approvals.service.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/approvals')
@ApiTags('Approvals')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the approvals of a task',
    description: 'Each group of each action that needs approvals, with its decisions.',
  })
  @ApiOkResponse({ description: 'The groups.', type: [ShownApproval] })
  async listApprovals(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
  ): Promise<ShownApproval[]> {
    return this.approvals.list(scope, uniqueId);
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Approve, reject or withdraw',
    description:
      'A key can decide only if the group has `by: anyone`, for the user named in `performed_by`. A second decision of a user for a group replaces the first.',
  })
  @ApiBody({ type: DecisionPayload })
  @ApiOkResponse({
    description: 'The group after the decision.',
    type: ShownApproval,
    headers: sends('Event-Id'),
  })
  @ApiRefusals(412)
  async decideApproval(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownApproval> {
    return this.approvals.decide(scope, uniqueId, parseDecision(payload), key);
  }
}

@Controller('api/v1/approvals')
@ApiTags('Open approvals')
export class OpenApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the approvals that wait for a user',
    description:
      'The groups that wait for a decision of the user, for actions that are available now, in all workflows; with `_limit`, in pages.',
  })
  @ApiOkResponse({ description: 'The groups.', type: [OpenApproval] })
  async listOpenApprovals(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentPrincipal() principal: Principal,
    @Parameters(OpenApprovalsQuery) query: OpenApprovalsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.approvals.listOpen(workspace, principal, query, address));
  }
}
