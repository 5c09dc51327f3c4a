import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { type Config } from '../config.js';
import { ExecutionEntity } from '../entities/execution.entity.js';
import { ActionsController } from '../actions/actions.controller.js';
import { ActionsService } from '../actions/actions.service.js';
import { withQueue } from '../jobs/with-queue.js';
import { ExecutionQueue, executionsQueue, QUEUE } from './execution-queue.js';
import { Dispatcher } from './dispatcher.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { ExecutionRunner } from './runner.js';
import { SecretsModule } from './secrets.module.js';
import { ExecutionSweeper } from './sweeper.js';
import { CompletionWaiters } from './completion-waiters.js';

@Module({
  imports: [AttachmentsModule, SecretsModule, TypeOrmModule.forFeature([ExecutionEntity])],
  controllers: [ActionsController, ExecutionsController],
  providers: [
    ActionsService,
    Dispatcher,
    ExecutionQueue,
    ExecutionMetrics,
    ExecutionsService,
    ExecutionSweeper,
    ExecutionRunner,
    CompletionWaiters,
  ],
  exports: [ActionsService, ExecutionsService],
})
export class ExecutionsModule {
  static on(config: Config): Promise<DynamicModule> {
    const processor = async (): Promise<Type> =>
      (await import('./executions.processor.js')).ExecutionsProcessor;
    return withQueue(ExecutionsModule, { name: executionsQueue, token: QUEUE, processor }, config);
  }
}
