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

/** Why a Redis cannot be used, in plain words, and where it was looked for. */
export function redisFault(error: unknown, { options: { host = '', port, path } }: ioredis.Redis): Error {
  const code = String(Reflect.get(Object(error), 'code'));
  const message = error instanceof Error ? error.message : 'connection closed';
  const [, reason = message] = faults.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  const place = path ?? `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Error(`${reason} at ${place}`, { cause: error });
}

/** By the codes of Node.js and the messages of ioredis. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, 'connection refused'],
  [/^ENOTFOUND/, 'no such host'],
  [/^EAI_AGAIN/, 'the name cannot be looked up'],
  [/^E(HOST|NET)\w+/, 'no network'],
  [/^ETIMEDOUT|timed out|timeout/i, 'no answer in time'],
  [/^E(CONNRESET|PIPE)|Connection is closed|isn't writeable/, 'connection closed'],
];
