import { type DataSource } from 'typeorm';
import { type Redis } from 'ioredis';
import { connectFailFast } from '../lib/redis.js';

export interface Readiness {
  /** `degraded`: ready, though what is down makes some things slower. */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly postgres: 'up' | 'down';
  readonly redis?: 'up' | 'down';
}

/** Whether this process can answer requests. */
export class Health {
  private readonly redis: Redis | undefined;
  private stopping = false;
  private last: Promise<Readiness> | undefined;
  private lookedAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    redisUrl: string | undefined,
  ) {
    this.redis = redisUrl === undefined ? undefined : connectFailFast(redisUrl, 500);
  }

  /** Looks at PostgreSQL and Redis, once a second at most. */
  async ready(): Promise<Readiness> {
    if (this.stopping) return { status: 'unavailable', postgres: 'up' };
    if (!this.last || performance.now() - this.lookedAt > 1000) {
      this.lookedAt = performance.now();
      this.last = this.look();
    }
    return this.last;
  }

  /** From now on not ready, so that nobody sends more. */
  stop(): void {
    this.stopping = true;
  }

  /** Whether the service answers what has begun and then ends. */
  get isStopping(): boolean {
    return this.stopping;
  }

  beforeApplicationShutdown(): void {
    this.stop();
    this.redis?.disconnect();
  }

  private async look(): Promise<Readiness> {
    const [postgres, redis] = await Promise.all([
      isUp(this.dataSource.query('SELECT 1')),
      this.redis && isUp(this.redis.ping()),
    ]);
    const status = !postgres ? 'unavailable' : redis === false ? 'degraded' : 'ok';
    return { status, postgres: word(postgres), ...(redis !== undefined && { redis: word(redis) }) };
  }
}

const word = (isUp: boolean): 'up' | 'down' => (isUp ? 'up' : 'down');

async function isUp(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, 2000, false);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]).finally(() => {
    clearTimeout(timer);
  });
}
