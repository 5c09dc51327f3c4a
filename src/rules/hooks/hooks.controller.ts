import { Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { type Request } from 'express';
import { CurrentScope } from '../../auth/current.decorators.js';
import { AdminGuard } from '../../auth/guards.js';
import { IdempotencyKey } from '../../http/idempotency.js';
import { jsonReply } from '../../http/replies.js';
import { type Reply } from '../../lib/reply.js';
import { Public } from '../../ops/health.controller.js';
import { type Scope } from '../../workspace/scope.js';
import { type Hook } from './hook.dto.js';
import { HooksService } from './hooks.service.js';

/** Receives the requests of other systems to rules. */
@Public()
@Controller('hooks')
export class ReceivedHooksController {
  constructor(private readonly hooks: HooksService) {}

  @Post(':token')
  @HttpCode(202)
  async receive(@Param('token') token: string, @Req() request: Request): Promise<object> {
    await this.hooks.receive(token, request);
    return {};
  }
}

/** The address of a rule on hook. */
@Controller('api/v1/workflows/:workflow_id/rules/:rule_id/hook')
@UseGuards(AdminGuard)
export class HooksController {
  constructor(private readonly hooks: HooksService) {}

  @Get()
  async read(@CurrentScope() scope: Scope, @Param('rule_id') ruleId: string): Promise<Reply> {
    return hookReply(await this.hooks.read(scope, ruleId));
  }

  @Post('rotate')
  @HttpCode(200)
  async rotate(
    @CurrentScope() scope: Scope,
    @Param('rule_id') ruleId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return hookReply(await this.hooks.rotate(scope, ruleId, key));
  }
}

function hookReply(hook: Hook): Reply {
  return jsonReply(JSON.stringify(hook), { headers: { 'Cache-Control': 'no-store' } });
}
