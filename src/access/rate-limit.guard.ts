import {
  type BeforeApplicationShutdown,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import { type Response } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../errors/errors.js';
import { connectFailFast } from '../fail-fast-redis.js';
import { type AccessRequest } from './access-request.js';
import { RequestCounts } from './request-counts.js';

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
