import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotencyKey } from '../../common/http/idempotency.js';
import { SmallJsonPayload } from '../../common/http/read-body.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { type Scope } from '../../workflows/model/scope.js';
import { Explanation, ExplainPayload } from './rule.dto.js';
import { RulesService } from './rules.service.js';

@Controller('api/v1/workflows/:workflow_id/rules')
@ApiTags('Rules')
export class RulesController {
  constructor(private readonly rules: RulesService) {}

  @Post('explain')
  @HttpCode(200)
  @ApiOperation({ summary: 'Explain how the rules judge an event' })
  @ApiBody({ type: ExplainPayload })
  @ApiOkResponse({ type: [Explanation] })
  async explainRules(
    @CurrentScope() scope: Scope,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Explanation[]> {
    return this.rules.explain(scope, body, key);
  }
}
