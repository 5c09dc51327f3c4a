import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** From this address too much was tried in vain. */
export class TooManyAttempts extends Error {}

/** Counts by address what is tried in vain to sign in: nobody can guess a link or a code, and trying costs queries. */
@Injectable()
export class Attempts {
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: 60 });

  /** What `attempt` finds. Those under way count as failures, so that many at once are no way round. */
  async take<T>(
    request: Request,
    attempt: () => Promise<T>,
    isFailure: (found: T) => boolean = (found) => found === undefined,
  ): Promise<T> {
    // Behind proxies that the settings name, the address that they tell of.
    const address = request.ip ?? '';
    await this.failures.consume(address).catch(tooMany);
    let hasFailed = false;
    try {
      const found = await attempt();
      hasFailed = isFailure(found);
      return found;
    } finally {
      if (!hasFailed) await this.failures.reward(address);
    }
  }
}

const MAX_FAILURES = 20;

function tooMany(error: unknown): never {
  throw error instanceof RateLimiterRes ? new TooManyAttempts() : error;
}
