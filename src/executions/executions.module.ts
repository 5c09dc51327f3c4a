import { type DynamicModule, Module } from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { CONFIG, type Config } from '../config.js';
import { ExecutionEntity } from '../entities/execution.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { LOGGER } from '../lib/logger.js';
import { ActionsController } from '../actions/actions.controller.js';
import { ActionsService } from '../actions/actions.service.js';
import { ExecutionQueue } from './execution-queue.js';
import { Dispatcher } from './dispatcher.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { ExecutionRunner } from './runner.js';
import { openSecrets, Secrets } from './secrets.js';
import { ExecutionSweeper } from './sweeper.js';
import { Waiters } from './completion-waiters.js';

@Module({
  imports: [AttachmentsModule, TypeOrmModule.forFeature([ExecutionEntity])],
  controllers: [ActionsController, ExecutionsController],
  providers: [
    ActionsService,
    Dispatcher,
    ExecutionQueue,
    ExecutionMetrics,
    ExecutionsService,
    ExecutionSweeper,
    ExecutionRunner,
    {
      provide: Secrets,
      inject: [getRepositoryToken(WorkspaceEntity), CONFIG, LOGGER],
      useFactory: openSecrets,
    },
    Waiters,
  ],
  exports: [ExecutionsService],
})
export class ExecutionsModule {
  /** With a queue where there is a Redis; else Bull is not even loaded. */
  static async on({ redisUrl, role }: Config): Promise<DynamicModule> {
    if (redisUrl === undefined) return { module: ExecutionsModule };
    const { queueParts } = await import('./bull.js');
    return { module: ExecutionsModule, ...queueParts(redisUrl, role) };
  }
}
