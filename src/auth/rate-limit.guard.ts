import {
  type BeforeApplicationShutdown,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import { type Response } from 'express';
import { type Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../lib/errors.js';
import { connectFailFast } from '../lib/redis.js';
import { type AccessRequest } from './api-key.guard.js';

/** Refuses what a key asks beyond its limit in a minute, and tells each answer how much is left. */
@Injectable()
export class RateLimitGuard implements CanActivate, BeforeApplicationShutdown {
  private readonly limit: number;
  private readonly redis: Redis | undefined;
  /** Counts in Redis for all processes; for this one where Redis cannot be asked. */
  private readonly limiter: RateLimiterAbstract;

  constructor(@Inject(CONFIG) { rateLimit, redisUrl }: Config) {
    this.limit = rateLimit;
    const options = { points: rateLimit, duration: 60, keyPrefix: 'wts:requests' };
    const own = new RateLimiterMemory(options);
    const isShared = rateLimit > 0 && redisUrl !== undefined;
    this.redis = isShared ? connectFailFast(redisUrl, REDIS_TIMEOUT_MS) : undefined;
    const shared = { storeClient: this.redis, rejectIfRedisNotReady: true, insuranceLimiter: own };
    this.limiter = this.redis ? new RateLimiterRedis({ ...options, ...shared }) : own;
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { principal } = http.getRequest<AccessRequest>();
    if (this.limit === 0 || !principal) return true;
    const key = `${principal.workspaceId}:${principal.keyId}`;
    return this.admit(key, http.getResponse<Response>());
  }

  beforeApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  private async admit(key: string, response: Response): Promise<boolean> {
    const now = Date.now();
    const { remainingPoints, consumedPoints } = await this.consume(`${key}:${Math.floor(now / 60_000)}`);
    const reset = String(60 - Math.floor((now / 1000) % 60));
    response.set({
      'RateLimit-Limit': String(this.limit),
      'RateLimit-Remaining': String(remainingPoints),
      'RateLimit-Reset': reset,
    });
    if (consumedPoints <= this.limit) return true;
    const detail = `This key may make ${this.limit} requests in a minute.`;
    throw new Refusal('too-many-requests', detail, { 'Retry-After': reset });
  }

  private async consume(key: string): Promise<RateLimiterRes> {
    try {
      return await this.limiter.consume(key);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    }
  }
}

/** When Redis takes longer to answer, this process counts alone. */
const REDIS_TIMEOUT_MS = 100;
