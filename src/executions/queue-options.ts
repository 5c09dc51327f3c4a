import { type BullModuleOptions } from '@nestjs/bull';
import { Redis, type RedisOptions } from 'ioredis';
import { executionsQueue } from './bell.js';

/** A queue that only rings: its producer fails at once where Redis is away, its consumers wait for it without end. */
export function queueOptions(redisUrl: string): BullModuleOptions {
  return {
    name: executionsQueue,
    createClient: (type) => connect(redisUrl, type === 'client' ? producer : consumer),
    settings: { lockDuration: 60_000, stalledInterval: 30_000, maxStalledCount: 0 },
  };
}

const producer: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 500,
  commandTimeout: 500,
  retryStrategy,
};
const consumer: RedisOptions = {
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
