import { type BullModuleOptions } from '@nestjs/bull';
import { Redis, type RedisOptions } from 'ioredis';
import { executionsQueue } from './bell.js';

/** The connections of a queue: it leaves those alone that Redis does not answer when it is closed. */
export class QueueConnections {
  private readonly all: Redis[] = [];

  add(connection: Redis): Redis {
    this.all.push(connection);
    return connection;
  }

  disconnect(): void {
    for (const connection of this.all) connection.disconnect();
  }
}

/** A queue that only rings: its producer fails at once where Redis is away, its consumers wait for it without end. */
export function queueOptions(redisUrl: string, connections: QueueConnections): BullModuleOptions {
  return {
    name: executionsQueue,
    createClient: (type) => connections.add(connect(redisUrl, type === 'client' ? producer : consumer)),
    settings: { lockDuration: 60_000, stalledInterval: 30_000, maxStalledCount: 0 },
  };
}

const producer: RedisOptions = {
  disconnectTimeout: 500,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 500,
  commandTimeout: 500,
  retryStrategy,
};
const consumer: RedisOptions = {
  disconnectTimeout: 500,
  maxRetriesPerRequest: null,
  enableReadyCheck: false,
  keepAlive: 10_000,
  retryStrategy,
};

function connect(url: string, options: RedisOptions): Redis {
  const client = new Redis(url, options);
  // What goes wrong is told by the queue as well; without a listener it would end the process.
  client.on('error', () => undefined);
  return client;
}

function retryStrategy(times: number): number {
  return Math.min(times * 200, 2000);
}
