import { BullModule, getQueueToken } from '@nestjs/bull';
import { type DynamicModule } from '@nestjs/common';
import { type Config } from '../config.js';
import { executionsQueue, QUEUE } from './bell.js';
import { ExecutionsProcessor } from './executions.processor.js';
import { QueueCloser } from './queue-closer.js';
import { QueueConnections, queueOptions } from './queue-options.js';

/** What the module of executions has besides where there is a Redis; a processor only where this process is a worker. */
export function queueParts(redisUrl: string, role: Config['role']): Omit<DynamicModule, 'module'> {
  const connections = new QueueConnections();
  return {
    imports: [BullModule.registerQueue(queueOptions(redisUrl, connections))],
    providers: [
      { provide: QUEUE, useExisting: getQueueToken(executionsQueue) },
      { provide: QueueConnections, useValue: connections },
      QueueCloser,
      ...(role === 'api' ? [] : [ExecutionsProcessor]),
    ],
  };
}
