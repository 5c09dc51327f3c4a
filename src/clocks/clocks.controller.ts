import { Controller, Get, Param } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { type Scope } from '../workspace/scope.js';
import { type ShownClock } from './clock.dto.js';
import { ClocksService } from './clocks.service.js';

/** The deadlines of a task. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/clocks')
export class ClocksController {
  constructor(private readonly clocks: ClocksService) {}

  @Get()
  async list(@CurrentScope() scope: Scope, @Param('unique_id') uniqueId: string): Promise<ShownClock[]> {
    return this.clocks.list(scope, uniqueId);
  }
}
