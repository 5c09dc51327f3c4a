import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { type Config } from '../config.js';
import { ExecutionEntity } from '../entities/execution.entity.js';
import { ActionsController } from '../actions/actions.controller.js';
import { ActionsService } from '../actions/actions.service.js';
import { ExecutionQueue, executionsQueue, QUEUE } from './execution-queue.js';
import { Dispatcher } from './dispatcher.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { ExecutionRunner } from './runner.js';
import { SecretsModule } from './secrets.module.js';
import { ExecutionSweeper } from './sweeper.js';
import { Waiters } from './completion-waiters.js';

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
    Waiters,
  ],
  exports: [ExecutionsService],
})
export class ExecutionsModule {
  /** With a queue where there is a Redis; else Bull is not even loaded. */
  static async on({ redisUrl, role }: Config): Promise<DynamicModule> {
    if (redisUrl === undefined) return { module: ExecutionsModule };
    const { queueParts } = await import('../jobs/bull.js');
    const { ExecutionsProcessor } = await import('./executions.processor.js');
    const kind = { name: executionsQueue, token: QUEUE, processor: ExecutionsProcessor };
    return { module: ExecutionsModule, ...queueParts(kind, redisUrl, role) };
  }
}
