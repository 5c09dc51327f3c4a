import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { busy } from '../errors.js';
import { FairSemaphore, type Holder } from '../../../packages/fair/semaphore.js';

/** The most requests that a process handles at once. */
const MAX_REQUESTS = 128;

/** A request with the properties that the guards and `Bodies` use. */
export type SharedRequest = Request & {
  readonly principal?: Holder | undefined;
  readonly deadline?: Deadline | undefined;
  place?: RequestPlace;
};

/**
 * Gives each key and each workspace its share of the requests that are handled at the same time. A request
 * counts until the client has received its answer, so that unread answers do not fill the memory. A request
 * does not count while its body arrives, or after it has begun to wait for another party, such as a server.
 */
@Injectable()
export class ShareGuard implements CanActivate {
  private readonly places = new FairSemaphore(MAX_REQUESTS, busy('Too many requests are being handled.'));

  /** Returns a promise only if the request must wait for a place. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<SharedRequest>();
    const { principal } = request;
    if (!principal) return true;
    return occupyPlace(request, this.places, principal)?.then(() => true) ?? true;
  }
}

/**
 * Counts the request until its client has the answer or is gone, or until the request waits for another
 * party. Returns a promise only if the request must wait for a place.
 */
export function occupyPlace(
  request: SharedRequest,
  places: FairSemaphore,
  holder: Holder,
): Promise<void> | undefined {
  const { deadline, res } = request;
  if (!res || res.closed) return undefined;
  const place = new RequestPlace(places, holder);
  request.place = place;
  const end = (): void => {
    place.end();
  };
  if (deadline) deadline.onWait = end;
  res.once('close', end);
  return place.take();
}

/** The place of one request among the `MAX_REQUESTS` requests that the process handles at once. */
class RequestPlace {
  private isHeld = false;
  private isOver = false;

  constructor(
    private readonly places: FairSemaphore,
    private readonly holder: Holder,
  ) {}

  /** Returns a promise only if no place is free. */
  take(): Promise<void> | undefined {
    if (this.isOver) return undefined;
    this.isHeld = this.places.tryAcquire(this.holder);
    return this.isHeld ? undefined : this.wait();
  }

  private async wait(): Promise<void> {
    await this.places.acquire(this.holder);
    if (this.isOver) this.places.release(this.holder);
    else this.isHeld = true;
  }

  leave(): void {
    if (this.isHeld) this.places.release(this.holder);
    this.isHeld = false;
  }

  /** Releases the place for good. */
  end(): void {
    this.isOver = true;
    this.leave();
  }
}
