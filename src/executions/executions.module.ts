import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionEntity } from './execution.entity.js';
import { ActionsController } from '../actions/actions.controller.js';
import { ActionsService } from '../actions/actions.service.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { BulkEdits } from './bulk-edits.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsOverview } from './executions-overview.js';
import { ExecutionsService } from './executions.service.js';
import { MyWork } from './my-work.js';
import { ExecutionRunner } from './runner.js';
import { CompletionWaiters } from './completion-waiters.js';

@Module({
  imports: [TasksModule, TypeOrmModule.forFeature([ExecutionEntity])],
  controllers: [ActionsController, ExecutionsController],
  providers: [
    ActionsService,
    BulkEdits,
    ExecutionMetrics,
    ExecutionsOverview,
    ExecutionsService,
    ExecutionRunner,
    CompletionWaiters,
    MyWork,
  ],
  exports: [ActionsService, BulkEdits, ExecutionsOverview, ExecutionsService, MyWork],
})
export class ExecutionsModule {}
