import { AdminGuard } from '../../../common/request.js';
import { CurrentScope } from '../../../workflows/model/current.decorators.js';
import { Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiHeaders,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiRefusals } from '../../../common/openapi/answers.js';
import { holding } from '../../../common/openapi/vocabulary.js';
import { type Request } from 'express';
import { jsonReply } from '../../../common/http/replies.js';
import { type Reply } from '../../../common/reply.js';
import { Public } from '../../../common/ops/health.controller.js';
import { type Scope } from '../../../workflows/model/scope.js';
import { Hook } from '../rule.dto.js';
import { HooksService } from './hooks.service.js';

@Public()
@Controller('hooks')
@ApiTags('Hooks')
export class ReceivedHooksController {
  constructor(private readonly hooks: HooksService) {}

  @Post(':token')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Call a rule: sign the request as a Standard Webhook, or send the secret in a header',
    security: [],
  })
  @ApiBody({ schema: { description: 'Any JSON of at most 1 MB.' } })
  @ApiHeaders([
    { name: 'webhook-id', description: 'A request that repeats an id within 24 hours is ignored.' },
    { name: 'webhook-timestamp', description: 'Seconds since 1970, at most five minutes from now.' },
    { name: 'webhook-signature', description: '`v1,…`. Separate several signatures by spaces.' },
    { name: 'X-Hook-Secret', description: 'The secret itself, in place of a signature.' },
  ])
  @ApiAcceptedResponse({ schema: holding({}) })
  @ApiRefusals(401, 404, 429, 503)
  async receiveHook(@Param('token') token: string, @Req() request: Request): Promise<object> {
    await this.hooks.receive(token, request);
    return {};
  }
}

@Controller('api/v1/workflows/:workflow_id/rules/:rule_id/hook')
@UseGuards(AdminGuard)
@ApiTags('Hooks')
export class HooksController {
  constructor(private readonly hooks: HooksService) {}

  @Get()
  @ApiOperation({ summary: 'Read the address of a rule with `on: hook`' })
  @ApiOkResponse({ type: Hook })
  async readHook(@CurrentScope() scope: Scope, @Param('rule_id') ruleId: string): Promise<Reply> {
    const hook = await this.hooks.read(scope, ruleId);
    return jsonReply(JSON.stringify(hook), { headers: { 'Cache-Control': 'no-store' } });
  }
}
