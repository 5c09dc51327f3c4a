import { createRequire } from 'node:module';
import type * as ioredis from 'ioredis';

const require = createRequire(import.meta.url);

/**
 * Connects to Redis. Commands fail within `commandTimeout` milliseconds while Redis is unavailable. A
 * connection that hangs is replaced, and counts as unavailable until Redis answers again.
 */
export function connectFailFast(url: string, commandTimeout: number): ioredis.Redis {
  // Loaded only if Redis is configured.
  const { Redis } = require('ioredis') as typeof ioredis;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    // The most milliseconds that an ending process waits for the connection to close.
    disconnectTimeout: 100,
    connectTimeout: 500,
    commandTimeout,
    socketTimeout: commandTimeout,
  });
  // Failed commands reject. Without a listener, ioredis would write each error to standard error.
  redis.on('error', () => undefined);
  return redis;
}
