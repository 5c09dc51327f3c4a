import { type AccessRequest } from '../common/request.js';
import cluster from 'node:cluster';
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
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { CONFIG, type Config } from '../config.js';
import { Refusal, notFound } from '../common/errors.js';
import { connectFailFast } from '../common/redis.js';
import { Origin, type Source } from '../common/origin.js';
import { Scope } from '../workflows/model/scope.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { isKnownTo } from '../workflows/model/known.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { say } from '../common/message.js';

@Injectable()
export class RateLimitGuard implements CanActivate, BeforeApplicationShutdown {
  private readonly limit: number;
  private readonly redis: Redis | undefined;
  private readonly own: RateLimiterMemory;
  /** Counts requests in Redis, or else in the first process of the cluster, or else in this process. */
  private readonly limiter: RateLimiterAbstract;

  constructor(@Inject(CONFIG) { rateLimit, redisUrl }: Config) {
    this.limit = rateLimit;
    const options = { points: rateLimit, duration: 60, keyPrefix: 'wts:requests' };
    this.own = new RateLimiterMemory(options);
    const isShared = rateLimit > 0 && redisUrl !== undefined;
    this.redis = isShared ? connectFailFast(redisUrl, REDIS_TIMEOUT_MS) : undefined;
    const shared = { storeClient: this.redis, rejectIfRedisNotReady: true, insuranceLimiter: this.own };
    if (this.redis) this.limiter = new RateLimiterRedis({ ...options, ...shared });
    else if (rateLimit > 0 && cluster.isWorker)
      this.limiter = new RateLimiterCluster({ ...options, timeoutMs: COUNT_TIMEOUT_MS });
    else this.limiter = this.own;
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
    const said = say`This key may make ${this.limit} requests in a minute.`;
    throw new Refusal('too-many-requests', said, { 'Retry-After': reset });
  }

  private async consume(key: string): Promise<RateLimiterRes> {
    return this.limiter
      .consume(key)
      .catch(asAnswer)
      .catch(() => this.own.consume(key).catch(asAnswer));
  }
}

function asAnswer(refused: unknown): RateLimiterRes {
  if (refused instanceof RateLimiterRes) return refused;
  throw refused;
}

/** How long to wait for the count of Redis or of the first process. Afterwards, this process counts alone. */
const REDIS_TIMEOUT_MS = 100;
const COUNT_TIMEOUT_MS = 1000;

/** Finds the workflow that the path names. Answers 404 if it does not exist, or if the key cannot see it. */
@Injectable()
export class WorkflowGuard implements CanActivate {
  constructor(private readonly workspaces: Workspaces) {}

  /** Synchronous if the workflow is cached. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const slug = request.params['workflow_id'];
    if (typeof slug !== 'string') return true;
    if (!request.principal) throw notFound();

    const { principal } = request;
    const known = this.workspaces.known(principal.workspaceId, slug);
    if (known && isKnownTo(principal, known)) return enter(request, known);
    const found = this.workspaces.workflow(principal.workspaceId, slug, principal);
    return found.then((workflow) => enter(request, workflow));
  }
}

function enter(request: AccessRequest, workflow: Workflow): boolean {
  request.scope = scopeIn(workflow, request);
  return true;
}

/** The scope of a request in a workflow. `via` is set if the request came through MCP. */
export function scopeIn(workflow: Workflow, request: AccessRequest, via?: Source['via']): Scope {
  const { principal, deadline } = request;
  const requestId = request.res?.getHeader('X-Request-Id');
  const origin = new Origin({
    key: principal?.keyId,
    user: principal?.userId,
    isBound: principal?.userId === undefined ? undefined : true,
    request: typeof requestId === 'string' ? requestId : undefined,
    via,
  });
  return new Scope(workflow, principal, deadline, origin);
}
