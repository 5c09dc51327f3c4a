import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Redis } from 'ioredis';
import { CONFIG, type Config } from '../../config.js';
import { poolOf } from '../database/data-source.js';
import { Dependency } from '../dependency.js';
import { type Logger, LOGGER } from '../logger.js';
import { connectFailFast } from '../redis.js';
import { Metrics, remembered } from './metrics.js';

export class Readiness {
  @ApiProperty({ description: 'Degraded: ready, but slower.', enum: ['ok', 'degraded', 'unavailable'] })
  readonly status!: 'ok' | 'degraded' | 'unavailable';

  @ApiProperty({ description: 'The database.', enum: ['up', 'down'] })
  readonly postgres!: 'up' | 'down';

  @ApiPropertyOptional({ description: 'Only if Redis is configured.', enum: ['up', 'down'] })
  readonly redis?: 'up' | 'down';
}

@Injectable()
export class Health implements BeforeApplicationShutdown {
  /** The availability of PostgreSQL. Code that cannot reach PostgreSQL logs through `logFailure`. */
  readonly postgres: Dependency;
  readonly redis: Dependency | undefined;
  private readonly connection: Redis | undefined;
  private readonly look = remembered(() => this.readiness(), 1000);
  /** Whether the service is stopping. A stopping service still answers the requests that arrive. */
  isStopping = false;
  /** Whether the service closes each connection after the next answer. */
  endsConnections = false;

  constructor(
    dataSource: DataSource,
    @Inject(CONFIG) { redisUrl }: Config,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
  ) {
    this.postgres = new Dependency('PostgreSQL', () => dataSource.query('SELECT 1'), logger);
    // A broken idle connection is often the first sign that PostgreSQL is unavailable.
    poolOf(dataSource).on('error', () => void this.postgres.isUp());
    if (redisUrl === undefined) return;
    this.connection = connectFailFast(redisUrl, 500);
    const redis = new Dependency('Redis', askRedis(this.connection), logger);
    this.redis = redis;
    this.connection.on('close', () => void redis.isUp());
    const read = async (): Promise<number> => Number(await redis.isUp());
    metrics.addGauge('wts_redis_up', 'Whether Redis answers: 1 or 0.', undefined, read, 'min');
  }

  /** Checks PostgreSQL and Redis, at most once a second. While the service is stopping, checks nothing. */
  async ready(): Promise<Readiness> {
    return this.isStopping ? { status: 'unavailable', postgres: 'up' } : this.look();
  }

  /** Makes the service report that it is not ready, so that load balancers send no more requests. */
  stop(): void {
    this.isStopping = true;
  }

  beforeApplicationShutdown(): void {
    this.stop();
    void this.postgres.close();
    void this.redis?.close();
    this.connection?.disconnect();
  }

  private async readiness(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([this.postgres.isUp(), this.redis?.isUp()]);
    const status = !postgres ? 'unavailable' : redis === false ? 'degraded' : 'ok';
    return { status, postgres: word(postgres), ...(redis !== undefined && { redis: word(redis) }) };
  }
}

const word = (isUp: boolean): 'up' | 'down' => (isUp ? 'up' : 'down');

/**
 * Returns a check of Redis: it waits for the first attempt to connect, and rejects unless Redis answers a
 * PING.
 */
function askRedis(redis: Redis): () => Promise<unknown> {
  const closed = new Error('connection closed');
  let reason = closed;
  redis.on('error', (error: Error) => (reason = error));
  redis.on('ready', () => (reason = closed));
  const tried = new Promise((done) => redis.once('ready', done).once('close', done));
  return async () => {
    await tried;
    if (redis.status !== 'ready') throw reason;
    await redis.ping();
  };
}
