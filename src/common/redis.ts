import { createRequire } from 'node:module';
import type * as ioredis from 'ioredis';

const require = createRequire(import.meta.url);

/**
 * A connection to Redis whose commands fail within the given milliseconds while Redis is unavailable. A connection that
 * hangs is replaced, and counts as unavailable until Redis answers again.
 */
export function connectFailFast(url: string, commandTimeout: number): ioredis.Redis {
  // Loaded only if Redis is configured.
  const { Redis } = require('ioredis') as typeof ioredis;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    // If Redis has closed the connection, the end of the process may wait this long.
    disconnectTimeout: 100,
    connectTimeout: 500,
    commandTimeout,
    socketTimeout: commandTimeout,
  });
  // Failed commands are reported by themselves; without a listener, the `error` event would end the process.
  redis.on('error', () => undefined);
  return redis;
}
