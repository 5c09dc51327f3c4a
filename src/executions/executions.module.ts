import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionEntity } from './execution.entity.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { BulkEdits } from './bulk-edits.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsOverview } from './executions-overview.js';
import { ExecutionsService } from './executions.service.js';
import { MyWork } from './my-work.js';
import { ExecutionRunner } from './runner.js';
import { CompletionWaiters } from './completion-waiters.js';
import { execution, executionGauges } from './execution.job.js';
import { executionsImpact } from './executions.impact.js';
import { oldExecutions } from './executions.repository.js';
import { RunEntity } from './runs/run.entity.js';
import { RunsModule } from './runs/runs.module.js';
import { oldRuns } from './runs/runs.repository.js';

@Module({
  imports: [TasksModule, TypeOrmModule.forFeature([ExecutionEntity])],
  controllers: [ExecutionsController],
  providers: [BulkEdits, ExecutionsOverview, ExecutionsService, ExecutionRunner, CompletionWaiters, MyWork],
  exports: [BulkEdits, ExecutionsOverview, ExecutionsService, MyWork],
})
export class ExecutionsModule {}

export const executionsFeature = {
  entities: [ExecutionEntity, RunEntity],
  impact: executionsImpact,
  jobs: [execution],
  leftovers: [oldExecutions, oldRuns],
  gauges: executionGauges,
  eventTypes: ['execution.started', 'execution.succeeded', 'execution.failed', 'execution.cancelled'],
  modules: [ExecutionsModule, RunsModule],
};
