import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { type PgQuery } from '../database/pool.js';
import { sql } from '../database/sql.js';
import { connectFailFast } from '../lib/redis.js';

/** Too many attempts to sign in have failed. */
export class TooManyAttempts extends Error {}

/** Counts failed attempts to sign in, for all processes: in Redis, or in PostgreSQL where there is none or it is away. */
@Injectable()
export class Attempts implements BeforeApplicationShutdown {
  private readonly redis: Redis | undefined;
  private readonly limiter: RateLimiterAbstract;

  constructor(@Inject(CONFIG) { redisUrl }: Config, { manager }: DataSource) {
    // A key that is over its limit is refused from memory: a flood costs no more writes.
    const options = { keyPrefix: 'wts:sign-in', points: POINTS, duration: 60, inMemoryBlockOnConsumed: POINTS + 1 }; // prettier-ignore
    const query = async ({ name, text, values }: PgQuery): Promise<object> => {
      const rows = await sql(manager, { name: name ?? '', text, scope: 'no workspace' }, values);
      return { rows, rowCount: rows.length };
    };
    const table = { storeClient: { query }, storeType: 'pool', tableName: 'sign_in_failures', tableCreated: true }; // prettier-ignore
    const inDatabase = new RateLimiterPostgres({ ...options, ...table });
    this.redis = redisUrl === undefined ? undefined : connectFailFast(redisUrl, REDIS_TIMEOUT_MS);
    const shared = { storeClient: this.redis, rejectIfRedisNotReady: true, insuranceLimiter: inDatabase };
    this.limiter = this.redis ? new RateLimiterRedis({ ...options, ...shared }) : inDatabase;
  }

  beforeApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  /** Notes that a link of this workspace was posted in vain, or one of none. */
  async countLink(request: Request, workspaceId: number | undefined): Promise<void> {
    await this.count(`link ${networkOf(request)}`, POINTS / MAX_OF_ADDRESS);
    if (workspaceId !== undefined) await this.count(`workspace ${workspaceId}`, POINTS / MAX_OF_WORKSPACE);
  }

  /** Notes that the identity provider knew nothing of the code that came from there. */
  async countCode(request: Request): Promise<void> {
    await this.count(`code ${networkOf(request)}`, POINTS / MAX_OF_ADDRESS);
  }

  /** Refuses to ask the provider about one more code. */
  async checkCode(request: Request): Promise<void> {
    const counted = await this.limiter.get(keyOf(`code ${networkOf(request)}`));
    if (counted && counted.consumedPoints >= POINTS) throw new TooManyAttempts();
  }

  private async count(what: string, points: number): Promise<void> {
    await this.limiter.consume(keyOf(what), points).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? new TooManyAttempts() : error;
    });
  }
}

const MAX_OF_ADDRESS = 20;
const MAX_OF_WORKSPACE = 100;
const POINTS = 100;
const REDIS_TIMEOUT_MS = 100;

/** Of a certain length, whatever a proxy says of the address; nobody reads addresses out of the database. */
const keyOf = (what: string): string => hash('sha256', what, 'base64url');

/** The address, which proxies that the settings name tell; of IPv6 the /64, which one customer has whole. */
function networkOf({ ip = '' }: Request): string {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.split('::');
  const groups = before.split(':');
  const rest = after === undefined ? [] : Array<string>(8 - groups.length).fill('0');
  return [...groups, ...rest].slice(0, 4).join(':');
}
