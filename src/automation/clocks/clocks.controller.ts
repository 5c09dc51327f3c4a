import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Scope } from '../../workflows/model/scope.js';
import { ShownClock } from './clock.dto.js';
import { ClocksService } from './clocks.service.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/clocks')
@ApiTags('Clocks')
export class ClocksController {
  constructor(private readonly clocks: ClocksService) {}

  @Get()
  @ApiOperation({ summary: 'List the clocks of a task' })
  @ApiOkResponse({ type: [ShownClock] })
  async listClocks(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
  ): Promise<ShownClock[]> {
    return this.clocks.list(scope, uniqueId);
  }
}
