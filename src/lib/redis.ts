import { createRequire } from 'node:module';
import type * as ioredis from 'ioredis';

const require = createRequire(import.meta.url);

/**
 * A connection to Redis whose commands fail within so many milliseconds where that is away, and never wait for it. One
 * that hangs is made anew, and counts as away until Redis answers again.
 */
export function connectFailFast(url: string, commandTimeout: number): ioredis.Redis {
  // Loaded only where there is a Redis.
  const { Redis } = require('ioredis') as typeof ioredis;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    // For so long, what is left of a connection that Redis has closed keeps the process from its end.
    disconnectTimeout: 100,
    connectTimeout: 500,
    commandTimeout,
    socketTimeout: commandTimeout,
  });
  // What goes wrong is told by the commands as well; without a listener it would end the process.
  redis.on('error', () => undefined);
  return redis;
}
