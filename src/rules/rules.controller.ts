import { Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { AdminGuard } from '../auth/guards.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { Parameters } from '../http/query.decorator.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { listReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { RunsQuery } from '../executions/runs/run.dto.js';
import { RunsService } from '../executions/runs/runs.service.js';
import { type Scope } from '../workspace/scope.js';
import { type DryRun, type Explanation, type ShownRule } from './rule.dto.js';
import { RulesService } from './rules.service.js';

/** The rules of a workflow, which start actions automatically. */
@Controller('api/v1/workflows/:workflow_id/rules')
export class RulesController {
  constructor(
    private readonly rules: RulesService,
    private readonly runs: RunsService,
  ) {}

  @Get()
  async list(@CurrentScope() scope: Scope): Promise<ShownRule[]> {
    return this.rules.list(scope);
  }

  @Get(':rule_id/runs')
  async listRuns(
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
  async explain(
    @CurrentScope() scope: Scope,
    @SmallJsonPayload() body: JsonObject,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Explanation[]> {
    return this.rules.explain(scope, body, key);
  }

  @Post(':rule_id/dry_run')
  @HttpCode(200)
  async dryRun(
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
  async pause(
    @CurrentScope() scope: Scope,
    @Param('rule_id') id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownRule> {
    return this.rules.pause(scope, id, true, key);
  }

  @Post(':rule_id/resume')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  async resume(
    @CurrentScope() scope: Scope,
    @Param('rule_id') id: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ShownRule> {
    return this.rules.pause(scope, id, false, key);
  }
}
