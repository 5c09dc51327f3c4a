import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Redis } from 'ioredis';
import { type ScopedStatement } from '../../packages/citus/statement.js';
import {
  type RateLimiterAbstract,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { sql } from '../database/sql.js';
import { connectFailFast } from '../lib/redis.js';

/** Too many attempts to sign in have failed, or too many mails were asked for. */
export class TooManyAttempts extends Error {
  constructor(readonly what: 'attempts' | 'mails' = 'attempts') {
    super();
  }

  get seconds(): number {
    return this.what === 'mails' ? MAIL_SECONDS : 60;
  }
}

/** Counts failed attempts to sign in, for all processes: in Redis, or in PostgreSQL where there is none or it is away. */
@Injectable()
export class Attempts implements BeforeApplicationShutdown {
  private readonly redis: Redis | undefined;
  private readonly limiter: RateLimiterAbstract;
  private readonly mails: RateLimiterAbstract;

  constructor(@Inject(CONFIG) { redisUrl }: Config, { manager }: DataSource) {
    // A key that is over its limit is refused from memory: a flood costs no more writes.
    const query = async ({ name, text, values }: ScopedStatement): Promise<object> => {
      const rows = await sql(manager, { name: name ?? '', text, scope: 'no workspace' }, values);
      return { rows, rowCount: rows.length };
    };
    const table = { storeClient: { query }, storeType: 'pool', tableName: 'sign_in_failures', tableCreated: true }; // prettier-ignore
    this.redis = redisUrl === undefined ? undefined : connectFailFast(redisUrl, REDIS_TIMEOUT_MS);
    const counting = (keyPrefix: string, duration: number): RateLimiterAbstract => {
      const options = { keyPrefix, points: POINTS, duration, inMemoryBlockOnConsumed: POINTS + 1 };
      const inDatabase = new RateLimiterPostgres({ ...options, ...table });
      const shared = { storeClient: this.redis, rejectIfRedisNotReady: true, insuranceLimiter: inDatabase };
      return this.redis ? new RateLimiterRedis({ ...options, ...shared }) : inDatabase;
    };
    this.limiter = counting('wts:sign-in', 60);
    this.mails = counting('wts:sign-in-mail', MAIL_SECONDS);
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

  /** Notes that a mail was asked for, to this address; whether somebody here has it makes no difference. */
  async countMail(request: Request, email: string): Promise<void> {
    await this.count(`mail ${networkOf(request)}`, POINTS / MAX_OF_ADDRESS);
    await this.mails.consume(keyOf(email.toLowerCase()), POINTS / MAX_MAILS).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? new TooManyAttempts('mails') : error;
    });
  }

  private async count(what: string, points: number): Promise<void> {
    await this.limiter.consume(keyOf(what), points).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? new TooManyAttempts() : error;
    });
  }
}

const MAX_MAILS = 5;
const MAIL_SECONDS = 900;
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
