import { Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { type Request } from 'express';
import { CurrentWorkflow } from '../../auth/current.decorators.js';
import { AdminGuard } from '../../auth/guards.js';
import { jsonReply } from '../../http/replies.js';
import { type Reply } from '../../lib/reply.js';
import { Public } from '../../ops/health.controller.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type Hook } from './hook.dto.js';
import { HooksService } from './hooks.service.js';

/** Where other systems call rules. */
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
  async read(@CurrentWorkflow() workflow: Workflow, @Param('rule_id') ruleId: string): Promise<Reply> {
    return hookReply(await this.hooks.read(workflow, ruleId));
  }

  @Post('rotate')
  @HttpCode(200)
  async rotate(@CurrentWorkflow() workflow: Workflow, @Param('rule_id') ruleId: string): Promise<Reply> {
    return hookReply(await this.hooks.rotate(workflow, ruleId));
  }
}

function hookReply(hook: Hook): Reply {
  return jsonReply(JSON.stringify(hook), { headers: { 'Cache-Control': 'no-store' } });
}
