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

/** Why Redis cannot be used, in plain words, with its address. */
export function redisFault(error: unknown, { options: { host = '', port, path } }: ioredis.Redis): Error {
  const code = String(Reflect.get(Object(error), 'code'));
  const message = error instanceof Error ? error.message : 'connection closed';
  const [, reason = message] = faults.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  const place = path ?? `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Error(`${reason} at ${place}`, { cause: error });
}

/** Matched against the codes of Node.js and the messages of ioredis. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, 'connection refused'],
  [/^ENOTFOUND/, 'no such host'],
  [/^EAI_AGAIN/, 'the name cannot be looked up'],
  [/^E(HOST|NET)\w+/, 'no network'],
  [/^ETIMEDOUT|timed out|timeout/i, 'no answer in time'],
  [/^E(CONNRESET|PIPE)|Connection is closed|isn't writeable/, 'connection closed'],
];
