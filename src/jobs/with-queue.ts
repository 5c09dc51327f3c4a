import { type DynamicModule, type Type } from '@nestjs/common';
import { type Config } from '../config.js';
import { type QueueKind } from './bull.js';

/** The module, with its queue where there is a Redis; else Bull is not even loaded. */
export async function withQueue(
  module: Type,
  queue: QueueKind,
  { redisUrl, role }: Config,
): Promise<DynamicModule> {
  if (redisUrl === undefined) return { module };
  const { queueParts } = await import('./bull.js');
  return { module, ...(await queueParts(queue, redisUrl, role)) };
}
