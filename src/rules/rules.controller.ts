import { Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { sends } from '../openapi/answers.js';
import { CurrentScope } from '../auth/current.decorators.js';
import { AdminGuard } from '../auth/guards.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { Parameters } from '../http/query.decorator.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { listReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { RunsQuery, ShownRun } from '../executions/runs/run.dto.js';
import { RunsService } from '../executions/runs/runs.service.js';
import { type Scope } from '../workspace/scope.js';
import { DryRun, Explanation, ShownRule, ExplainPayload, DryRunPayload } from './rule.dto.js';
import { RulesService } from './rules.service.js';

/** The rules of a workflow, which start actions automatically. */
@Controller('api/v1/workflows/:workflow_id/rules')
@ApiTags('Rules')
export class RulesController {
  constructor(
    private readonly rules: RulesService,
    private readonly runs: RunsService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the rules of a workflow',
    description: 'In the order of the definition, which has all their settings.',
  })
  @ApiOkResponse({ description: 'The rules.', type: [ShownRule] })
  async listRules(@CurrentScope() scope: Scope): Promise<ShownRule[]> {
    return this.rules.list(scope);
  }

  @Get(':rule_id/runs')
  @ApiOperation({
    summary: 'List the runs of a rule, newest first',
    description: 'All, or with `_limit` a page; `Link` leads to the next page. They are kept for 90 days.',
  })
  @ApiOkResponse({ description: 'The runs.', type: [ShownRun] })
  async listRunsOfRule(
    @CurrentScope() scope: Scope,
    @Param('rule_id') id: string,
    @Parameters(RunsQuery) query: RunsQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    this.rules.require(scope, id);
    return listReply(await this.runs.listOfStarter(scope, 'rule', id, query, address));
  }

  @Post('explain')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Explain how the rules judge an event',
    description: 'For each rule of the workflow: what happened, or which part of the rule was false.',
  })
  @ApiBody({ type: ExplainPayload })
  @ApiOkResponse({ description: 'One explanation for each rule.', type: [Explanation] })
  async explainRules(
    @CurrentScope() scope: Scope,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Explanation[]> {
    return this.rules.explain(scope, body, key);
  }

  @Post(':rule_id/dry_run')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Try a rule on a task',
    description: 'Shows what it would do with the task now, if its trigger matched. Nothing is stored.',
  })
  @ApiBody({ type: DryRunPayload })
  @ApiOkResponse({ description: 'What would happen.', type: DryRun })
  async tryRule(
    @CurrentScope() scope: Scope,
    @Param('rule_id') id: string,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<DryRun> {
    return this.rules.dryRun(scope, id, body, key);
  }

  @Post(':rule_id/pause')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  @ApiOperation({
    summary: 'Pause a rule',
    description: 'Runs that it would start while paused are `silenced`, and are not started later.',
  })
  @ApiOkResponse({ description: 'The rule.', type: ShownRule, headers: sends('Event-Id') })
  async pauseRule(
    @CurrentScope() scope: Scope,
    @Param('rule_id') id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownRule> {
    return this.rules.pause(scope, id, true, key);
  }

  @Post(':rule_id/resume')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  @ApiOperation({ summary: 'Resume a rule', description: 'It judges events from now on.' })
  @ApiOkResponse({ description: 'The rule.', type: ShownRule, headers: sends('Event-Id') })
  async resumeRule(
    @CurrentScope() scope: Scope,
    @Param('rule_id') id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownRule> {
    return this.rules.pause(scope, id, false, key);
  }
}
