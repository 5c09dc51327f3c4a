import {
  type BeforeApplicationShutdown,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import { type Response } from 'express';
import { type Redis } from 'ioredis';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../lib/errors.js';
import { connectFailFast } from '../lib/redis.js';
import { type AccessRequest } from './api-key.guard.js';

/** Refuses what a key asks beyond its limit in a minute, and tells each answer how much is left. */
@Injectable()
export class RateLimitGuard implements CanActivate, BeforeApplicationShutdown {
  private readonly limit: number;
  private readonly counts: RequestCounts;

  constructor(@Inject(CONFIG) { rateLimit, redisUrl }: Config) {
    this.limit = rateLimit;
    const isShared = rateLimit > 0 && redisUrl !== undefined;
    this.counts = new RequestCounts(isShared ? connectFailFast(redisUrl, patienceMs) : undefined);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { principal } = http.getRequest<AccessRequest>();
    if (this.limit === 0 || !principal) return true;
    const key = `${principal.workspaceId}:${principal.keyId}`;
    return this.judge(key, http.getResponse<Response>());
  }

  beforeApplicationShutdown(): void {
    this.counts.close();
  }

  private async judge(key: string, response: Response): Promise<boolean> {
    const now = Date.now();
    const count = await this.counts.add(key, now);
    const reset = String(60 - Math.floor((now / 1000) % 60));
    response.set({
      'RateLimit-Limit': String(this.limit),
      'RateLimit-Remaining': String(Math.max(0, this.limit - count)),
      'RateLimit-Reset': reset,
    });
    if (count <= this.limit) return true;
    const detail = `This key may make ${this.limit} requests in a minute.`;
    throw new Refusal('too-many-requests', detail, { 'Retry-After': reset });
  }
}

/** A Redis that takes longer to answer is done without. */
const patienceMs = 100;

/** How many requests each key has made in the current minute, in all processes where Redis can be asked. */
class RequestCounts {
  private minute = 0;
  /** Those of this process; kept also while Redis counts, which may be gone the next moment. */
  private own = new Map<string, number>();
  private silentUntil = -Infinity;

  constructor(private readonly redis: Redis | undefined) {}

  /** Counts one more, and says how many there are; a Redis that does not answer is left alone for 5 s. */
  async add(key: string, now: number): Promise<number> {
    const minute = Math.floor(now / 60_000);
    if (minute !== this.minute) this.own = new Map();
    this.minute = minute;
    const own = (this.own.get(key) ?? 0) + 1;
    this.own.set(key, own);
    return Math.max(own, await this.addShared(`wts:requests:${key}:${minute}`));
  }

  close(): void {
    this.redis?.disconnect();
  }

  private async addShared(name: string): Promise<number> {
    if (!this.redis || performance.now() < this.silentUntil) return 0;
    try {
      const [[, count] = []] = (await this.redis.multi().incr(name).expire(name, 120).exec()) ?? [];
      return typeof count === 'number' ? count : 0;
    } catch {
      this.silentUntil = performance.now() + silenceMs;
      return 0;
    }
  }
}

const silenceMs = 5000;
