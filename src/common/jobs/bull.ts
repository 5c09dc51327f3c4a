import { setTimeout as pause } from 'node:timers/promises';
import { BullModule, getQueueToken, Process, Processor } from '@nestjs/bull';
import { type BeforeApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { type Queue, type Job } from 'bull';
import { Redis, type RedisOptions } from 'ioredis';
import { type Config } from '../../config.js';
import { jobsQueue, QUEUE, type QueuedJob } from './job-queue.js';
import { JobRunner } from './job-runner.js';

/** The parts of the jobs module that need Redis. A process of role `api` has no `JobsProcessor`. */
export function queueParts(redisUrl: string, role: Config['role']): Omit<DynamicModule, 'module'> {
  const connections = new QueueConnections(redisUrl);
  const queue = {
    name: jobsQueue,
    createClient: (type: string) => connections.open(type === 'client' ? producer : consumer),
    settings: { lockDuration: 60_000, stalledInterval: 30_000, maxStalledCount: 0 },
  };
  return {
    imports: [BullModule.registerQueue(queue)],
    providers: [
      { provide: QUEUE, useExisting: getQueueToken(jobsQueue) },
      {
        provide: QueueCloser,
        inject: [QUEUE],
        useFactory: (queue: Queue) => new QueueCloser(queue, connections),
      },
      ...(role === 'api' ? [] : [JobsProcessor]),
    ],
  };
}

/** The queue only announces work. Without Redis, adding a job fails within 0.5 s, and workers wait. */
const producer: RedisOptions = { maxRetriesPerRequest: 1, connectTimeout: 500, commandTimeout: 500 };
const consumer: RedisOptions = { maxRetriesPerRequest: null, enableReadyCheck: false, keepAlive: 10_000 };

/** The queue's connections. The service closes them: without Redis, Bull would leave connections open. */
class QueueConnections {
  private readonly all: Redis[] = [];
  private isClosed = false;

  constructor(private readonly url: string) {}

  open(options: RedisOptions): Redis {
    const retryStrategy = (times: number): number => Math.min(times * 200, 2000);
    const connection = new Redis(this.url, { ...options, disconnectTimeout: 100, retryStrategy });
    // The queue reports errors. Without this listener, ioredis would also write each to standard error.
    connection.on('error', () => undefined);
    // If the queue is closed while its processor is starting, the processor opens another connection.
    if (this.isClosed) connection.disconnect();
    this.all.push(connection);
    return connection;
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.all) connection.disconnect();
  }
}

/** Closes the queue before the process ends, even if Redis does not answer. */
class QueueCloser implements BeforeApplicationShutdown {
  constructor(
    private readonly queue: Queue,
    private readonly connections: QueueConnections,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    const closed = this.queue.close().catch(() => undefined);
    await Promise.race([closed, pause(CLOSE_MS, undefined, { ref: false })]);
    this.connections.close();
  }
}

const CLOSE_MS = 2000;

/** Receives jobs through Redis, such as pending executions. */
@Processor(jobsQueue)
export class JobsProcessor {
  constructor(private readonly runner: JobRunner) {}

  @Process({ concurrency: 16 })
  hear({ data: { kind, job } }: Job<QueuedJob>): void {
    this.runner.begin(kind, job);
  }
}
