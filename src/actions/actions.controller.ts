import { Controller, Get, Param } from '@nestjs/common';
import { CurrentWorkflow } from '../auth/current.decorators.js';
import { Parameters } from '../http/query.decorator.js';
import { type Workflow } from '../workspace/workspace.js';
import { ActionsQuery, type ShownAction } from './action.dto.js';
import { ActionsService } from './actions.service.js';

/** The actions of a task. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/actions')
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  async list(
    @CurrentWorkflow() workflow: Workflow,
    @Param('unique_id') uniqueId: string,
    @Parameters(ActionsQuery) query: ActionsQuery,
  ): Promise<ShownAction[]> {
    return this.actions.list(workflow, uniqueId, query);
  }
}
