import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { type Principal } from '../auth/api-keys.js';
import { CurrentPrincipal, CurrentScope, CurrentWorkspace } from '../auth/current.decorators.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { Parameters } from '../http/query.decorator.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { listReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Scope } from '../workspace/scope.js';
import { type Workspace } from '../workspace/workspace.js';
import { OpenApprovalsQuery, parseDecision, type ShownApproval } from './approval.dto.js';
import { ApprovalsService } from './approvals.service.js';

/** The approvals of a task. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/approvals')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get()
  async list(@CurrentScope() scope: Scope, @Param('unique_id') uniqueId: string): Promise<ShownApproval[]> {
    return this.approvals.list(scope, uniqueId);
  }

  @Post()
  @HttpCode(200)
  async decide(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @SmallJsonPayload() payload: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownApproval> {
    return this.approvals.decide(scope, uniqueId, parseDecision(payload), key);
  }
}

/** The approvals in all workflows that wait for a user's decision. */
@Controller('api/v1/approvals')
export class OpenApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get()
  async listOpen(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentPrincipal() principal: Principal,
    @Parameters(OpenApprovalsQuery) query: OpenApprovalsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.approvals.listOpen(workspace, principal, query, address));
  }
}
