import { type DynamicModule, Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { LOGGER, type Logger } from '../logger.js';
import { ActionsController } from './actions.controller.js';
import { ActionsService } from './actions.service.js';
import { Bell } from './bell.js';
import { Dispatcher } from './dispatcher.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { Resolver } from './resolver.js';
import { openSecrets, Secrets } from './secrets.js';
import { ExecutionSweeper } from './sweeper.js';
import { Waiters } from './waiters.js';

@Module({
  imports: [AttachmentsModule],
  controllers: [ActionsController, ExecutionsController],
  providers: [
    ActionsService,
    Bell,
    Dispatcher,
    ExecutionMetrics,
    ExecutionsService,
    ExecutionSweeper,
    Resolver,
    {
      provide: Secrets,
      inject: [DataSource, CONFIG, LOGGER],
      useFactory: ({ manager }: DataSource, config: Config, logger: Logger) =>
        openSecrets(manager, config, logger),
    },
    Waiters,
  ],
  exports: [ExecutionsService],
})
export class ExecutionsModule {
  /** With a queue where there is a Redis; else Bull is not even loaded. */
  static async on({ redisUrl, role }: Config): Promise<DynamicModule> {
    if (redisUrl === undefined) return { module: ExecutionsModule };
    const { queueParts } = await import('./queue.js');
    return { module: ExecutionsModule, ...queueParts(redisUrl, role) };
  }
}
