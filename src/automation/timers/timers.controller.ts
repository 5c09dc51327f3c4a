import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Scope } from '../../workflows/model/scope.js';
import { ShownTimer } from './timer.dto.js';
import { TimersService } from './timers.service.js';

const of = 'unique_id';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/timers')
@ApiTags('Timers')
export class TimersController {
  constructor(private readonly timers: TimersService) {}

  @Get()
  @ApiOperation({ summary: 'List the waiting timers' })
  @ApiOkResponse({ type: [ShownTimer] })
  async listTimers(@CurrentScope() scope: Scope, @Param(of) uniqueId: string): Promise<ShownTimer[]> {
    return this.timers.list(scope, uniqueId);
  }

  @Delete(':timer_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove a timer; 404 if it has fired' })
  async removeTimer(
    @CurrentScope() scope: Scope,
    @Param(of) uniqueId: string,
    @Param('timer_id') id: string,
  ): Promise<void> {
    await this.timers.remove(scope, uniqueId, id);
  }
}
