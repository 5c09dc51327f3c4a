import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ExecutionEntity } from '../entities/execution.entity.js';
import { ActionsController } from '../actions/actions.controller.js';
import { ActionsService } from '../actions/actions.service.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { MyWork } from './my-work.js';
import { ExecutionRunner } from './runner.js';
import { SecretsModule } from './secrets.module.js';
import { CompletionWaiters } from './completion-waiters.js';

@Module({
  imports: [AttachmentsModule, SecretsModule, TypeOrmModule.forFeature([ExecutionEntity])],
  controllers: [ActionsController, ExecutionsController],
  providers: [
    ActionsService,
    ExecutionMetrics,
    ExecutionsService,
    ExecutionRunner,
    CompletionWaiters,
    MyWork,
  ],
  exports: [ActionsService, ExecutionsService, MyWork],
})
export class ExecutionsModule {}
