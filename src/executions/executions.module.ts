import { BullModule } from '@nestjs/bull';
import { type DynamicModule, Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { type Config } from '../config.js';
import { ActionsController } from './actions.controller.js';
import { ActionsService } from './actions.service.js';
import { Bell } from './bell.js';
import { Dispatcher } from './dispatcher.js';
import { ExecutionMetrics } from './execution-metrics.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsProcessor } from './executions.processor.js';
import { ExecutionsService } from './executions.service.js';
import { QueueCloser } from './queue-closer.js';
import { QueueConnections, queueOptions } from './queue-options.js';
import { Resolver } from './resolver.js';
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
    Waiters,
  ],
})
export class ExecutionsModule {
  /** With a queue where there is a Redis, and a processor of it where this process is a worker. */
  static on({ redisUrl, role }: Config): DynamicModule {
    if (redisUrl === undefined) return { module: ExecutionsModule };
    const connections = new QueueConnections();
    return {
      module: ExecutionsModule,
      imports: [BullModule.registerQueue(queueOptions(redisUrl, connections))],
      providers: [
        { provide: QueueConnections, useValue: connections },
        QueueCloser,
        ...(role === 'api' ? [] : [ExecutionsProcessor]),
      ],
    };
  }
}
