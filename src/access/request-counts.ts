import { type Redis } from 'ioredis';

/** How many requests each key has made in the current minute, in all processes where Redis can be asked. */
export class RequestCounts {
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
