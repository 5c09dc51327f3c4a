import { BullModule, getQueueToken, type BullModuleOptions } from '@nestjs/bull';
import { type BeforeApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { type Queue } from 'bull';
import { type Config } from '../config.js';
import { jobsQueue, QUEUE } from './job-queue.js';
import { JobsProcessor } from './jobs.processor.js';

/** What a module needs in addition if Redis is configured; only a worker has a processor. */
export function queueParts(redisUrl: string, role: Config['role']): Omit<DynamicModule, 'module'> {
  const connections = new QueueConnections();
  return {
    imports: [BullModule.registerQueue(queueOptions(redisUrl, connections))],
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

/** The connections of a queue. The service closes them itself: Bull leaves open those that Redis does not answer. */
class QueueConnections {
  private readonly all: Redis[] = [];
  private isClosed = false;

  add(connection: Redis): Redis {
    // If a queue is closed while its processor starts, it opens one more connection afterwards.
    if (this.isClosed) connection.disconnect();
    this.all.push(connection);
    return connection;
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.all) connection.disconnect();
  }
}

/** A queue that only announces work: while Redis is away, its producer fails at once and its consumers wait. */
function queueOptions(redisUrl: string, connections: QueueConnections): BullModuleOptions {
  return {
    name: jobsQueue,
    createClient: (type) =>
      connections.add(type === 'client' ? connectProducer(redisUrl) : connect(redisUrl, consumer)),
    settings: { lockDuration: 60_000, stalledInterval: 30_000, maxStalledCount: 0 },
  };
}

const producer: RedisOptions = {
  disconnectTimeout: 100,
  maxRetriesPerRequest: 1,
  connectTimeout: 500,
  commandTimeout: 500,
  retryStrategy,
};
const consumer: RedisOptions = {
  disconnectTimeout: 100,
  maxRetriesPerRequest: null,
  enableReadyCheck: false,
  keepAlive: 10_000,
  retryStrategy,
};

function connect(url: string, options: RedisOptions): Redis {
  const client = new Redis(url, options);
  // The queue reports errors as well; without a listener they would end the process.
  client.on('error', () => undefined);
  return client;
}

/** Commands wait for the first attempt to connect; after that, they fail at once while Redis is away. */
function connectProducer(url: string): Redis {
  const client = connect(url, { ...producer, enableOfflineQueue: true });
  const end = (): void => {
    client.options.enableOfflineQueue = false;
  };
  return client.once('ready', end).once('close', end);
}

function retryStrategy(times: number): number {
  return Math.min(times * 200, 2000);
}

/** Closes the queue before the process ends, whether or not Redis answers. */
class QueueCloser implements BeforeApplicationShutdown {
  private isClosing = false;

  constructor(
    private readonly queue: Queue,
    private readonly connections: QueueConnections,
  ) {
    // Nest and Bull call these without handling a rejection, which occurs if the queue is closed while it starts.
    for (const name of ['process', 'setWorkerName']) this.hearFailureOf(name);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    let late: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => (late = setTimeout(resolve, CLOSE_TIMEOUT_MS)));
    await Promise.race([this.queue.close().catch(() => undefined), isLate]);
    clearTimeout(late);
    this.connections.close();
  }

  private hearFailureOf(name: string): void {
    const methods = this.queue as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
    const method = methods[name]?.bind(this.queue);
    methods[name] = async (...values) => {
      await method?.(...values).catch((error: unknown) => {
        if (!this.isClosing) throw error;
      });
    };
  }
}

const CLOSE_TIMEOUT_MS = 5000;
