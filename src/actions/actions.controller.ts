import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Parameters } from '../common/http/query.decorator.js';
import { ActionsQuery, ShownAction } from './action.dto.js';
import { ActionsService } from './actions.service.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/actions')
@ApiTags('Actions')
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  @ApiOperation({ summary: 'List the available actions; with `_explain`, list the actions of all stages' })
  @ApiOkResponse({ type: [ShownAction] })
  async listActions(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(ActionsQuery) query: ActionsQuery,
  ): Promise<ShownAction[]> {
    return this.actions.list(scope, uniqueId, query);
  }
}
