import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../common/openapi/answers.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { SmallJsonPayload } from '../common/http/read-body.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { type Scope } from '../workflows/model/scope.js';
import { parseDecision, ShownApproval, DecisionPayload } from './approval.dto.js';
import { ApprovalsService } from './approvals.service.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/approvals')
@ApiTags('Approvals')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get()
  @ApiOperation({ summary: 'List the approvals of a task' })
  @ApiOkResponse({ type: [ShownApproval] })
  async listApprovals(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
  ): Promise<ShownApproval[]> {
    return this.approvals.list(scope, uniqueId);
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Approve, reject or withdraw, for the user in `performed_by`' })
  @ApiBody({ type: DecisionPayload })
  @ApiOkResponse({ type: ShownApproval })
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
