import { Controller, Get, Param } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { Parameters } from '../http/query.decorator.js';
import { ActionsQuery, type ShownAction } from './action.dto.js';
import { ActionsService } from './actions.service.js';
import { type Scope } from '../workspace/scope.js';

/** The actions of a task. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/actions')
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  async list(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(ActionsQuery) query: ActionsQuery,
  ): Promise<ShownAction[]> {
    return this.actions.list(scope, uniqueId, query);
  }
}
