import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { once } from 'node:events';
import { type DataSource } from 'typeorm';
import { type Redis } from 'ioredis';
import { poolOf } from '../database/data-source.js';
import { Dependency } from '../dependency.js';
import { type Logger } from '../logger.js';
import { connectFailFast, redisFault } from '../redis.js';
import { type Metrics } from './metrics.js';

export class Readiness {
  @ApiProperty({ description: 'Degraded: ready, but slower.', enum: ['ok', 'degraded', 'unavailable'] })
  readonly status!: 'ok' | 'degraded' | 'unavailable';

  @ApiProperty({ description: 'The database.', enum: ['up', 'down'] })
  readonly postgres!: 'up' | 'down';

  @ApiPropertyOptional({ description: 'Only if Redis is configured.', enum: ['up', 'down'] })
  readonly redis?: 'up' | 'down';
}

export class Health {
  /** Code that cannot reach PostgreSQL asks this whether it is unavailable. */
  readonly postgres: Dependency;
  readonly redis: Dependency | undefined;
  private readonly connection: Redis | undefined;
  private stopping = false;
  private ending = false;
  private last: Promise<Readiness> | undefined;
  private lookedAt = -Infinity;

  constructor(dataSource: DataSource, redisUrl: string | undefined, logger: Logger) {
    this.postgres = new Dependency('PostgreSQL', () => dataSource.query('SELECT 1'), logger);
    // An idle connection that breaks is the first sign of trouble; the listener for changes always has one.
    poolOf(dataSource).on('error', () => void this.postgres.isUp());
    if (redisUrl === undefined) return;
    this.connection = connectFailFast(redisUrl, 500);
    this.redis = new Dependency('Redis', askRedis(this.connection), logger);
    this.connection.on('close', () => void this.redis?.isUp());
  }

  /** Checks PostgreSQL and Redis, at most once a second. */
  async ready(): Promise<Readiness> {
    if (this.stopping) return { status: 'unavailable', postgres: 'up' };
    if (!this.last || performance.now() - this.lookedAt > 1000) {
      this.lookedAt = performance.now();
      this.last = this.look();
    }
    return this.last;
  }

  /** Adds a metric that shows whether Redis answers, if it is configured. */
  measure(metrics: Metrics): void {
    const { redis } = this;
    const read = async (): Promise<number> => Number(await redis?.isUp());
    if (redis) metrics.addGauge('wts_redis_up', 'Whether Redis answers: 1 or 0.', undefined, read, 'min');
  }

  /** From now on reports not ready, so that load balancers send no more requests. */
  stop(): void {
    this.stopping = true;
  }

  /** From now on, each answer is the last one of its connection. */
  endConnections(): void {
    this.ending = true;
  }

  /** Whether a connection ends with its next answer. */
  get endsConnections(): boolean {
    return this.ending;
  }

  /** Whether the service finishes running requests and then ends. */
  get isStopping(): boolean {
    return this.stopping;
  }

  beforeApplicationShutdown(): void {
    this.stop();
    void this.postgres.close();
    void this.redis?.close();
    this.connection?.disconnect();
  }

  private async look(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([this.postgres.isUp(), this.redis?.isUp()]);
    const status = !postgres ? 'unavailable' : redis === false ? 'degraded' : 'ok';
    return { status, postgres: word(postgres), ...(redis !== undefined && { redis: word(redis) }) };
  }
}

const word = (isUp: boolean): 'up' | 'down' => (isUp ? 'up' : 'down');

/** Sends a PING once the first attempt to connect has ended. Rejects with the reason if there is no connection. */
function askRedis(redis: Redis): () => Promise<unknown> {
  let reason: unknown;
  redis.on('error', (error: Error) => (reason = error)).on('ready', () => (reason = undefined));
  const tried = new Promise((done) => redis.once('ready', done).once('close', done));
  const isAway = (): boolean => redis.status !== 'ready';
  return async () => {
    await tried;
    // A Redis that stops closes its connections without an error. The next attempt to connect gives the reason.
    if (isAway() && reason === undefined && redis.status !== 'end')
      await once(redis, 'ready').catch(() => undefined);
    if (isAway()) throw redisFault(reason, redis);
    await redis.ping().catch((error: unknown) => {
      throw redisFault(error, redis);
    });
  };
}
