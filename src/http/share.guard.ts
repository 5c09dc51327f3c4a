import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type AccessRequest } from '../auth/api-key.guard.js';
import { busy } from '../lib/errors.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';

/** The most requests that a process handles at once. */
const MAX_REQUESTS = 128;

/**
 * Gives each key and each workspace its share of the requests that are handled at once. A request counts until the
 * client has taken its answer, so that unread answers fill no memory, or until it waits for another party.
 */
@Injectable()
export class ShareGuard implements CanActivate {
  private readonly places = new FairSemaphore(MAX_REQUESTS, busy('Too many requests are being handled.'));

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { principal, deadline, res } = context.switchToHttp().getRequest<AccessRequest>();
    if (!principal || !res) return true;
    await this.places.acquire(principal);
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.places.release(principal);
      isHeld = false;
    };
    if (deadline) deadline.onWait = release;
    if (res.closed) release();
    else res.once('close', release);
    return true;
  }
}
