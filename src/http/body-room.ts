import { type Writable } from 'node:stream';
import { type Request } from 'express';
import { busy, Refusal } from '../lib/errors.js';
import { FairSemaphore, type Holder } from '../../packages/fair/semaphore.js';

/** What the room for bodies in memory is injected by. */
export const BODIES = Symbol('bodies');

/** Bytes of a body that never wait for room behind those of larger bodies. */
export const SMALL_BYTES = 2 ** 16;
const STEP_BYTES = 2 ** 20;

/** Who asks, where the guards have found out. */
export type BodyRequest = Request & { readonly principal?: Holder | undefined };

interface Answered extends Pick<BodyRequest, 'principal'> {
  readonly res?: Writable | undefined;
}

/**
 * The memory for bodies of requests, from their arrival until they are answered. What is large is admitted by the length
 * that it announces, so that those of one key that have begun can end, and takes room only as it arrives.
 */
export class BodyRoom {
  readonly small: FairSemaphore;
  readonly large: FairSemaphore;
  /** Of everything that is announced each has its share; what all announce together may be more than there is room for. */
  readonly announced: FairSemaphore;

  constructor(bytes: number) {
    const refusal = 'Too many request bodies are in memory at once.';
    this.small = new FairSemaphore(Math.ceil(bytes / 8), busy(refusal));
    const large = Math.ceil((bytes * 7) / 8);
    this.large = new FairSemaphore(large, busy(refusal), { ofKey: large, ofWorkspace: large });
    const shares = { ofKey: bytes / 2, ofWorkspace: (bytes * 3) / 4 };
    this.announced = new FairSemaphore(Infinity, busy(refusal), shares);
  }

  /** Room for the body of this request; it is given back when the answer is out or the client has left. */
  of({ principal, res }: Answered): BodyLease {
    const lease = this.lease(principal ?? nobody);
    // Whose client went away before, as while it waited in another line, is not told of it again.
    if (res?.closed) lease.end();
    res?.once('close', () => {
      lease.end();
    });
    return lease;
  }

  lease(holder: Holder): BodyLease {
    return new BodyLease(this, holder);
  }
}

const nobody: Holder = { workspaceId: 0 };

/** What one body has taken of the room. */
export class BodyLease {
  private readonly held = new Map<FairSemaphore, number>();
  private granted = 0;
  private announced = 0;
  private isOver = false;

  constructor(
    private readonly room: BodyRoom,
    private readonly holder: Holder,
  ) {}

  /** Waits until a body of this length may begin to arrive. */
  async begin(announced: number): Promise<void> {
    this.announced = announced;
    this.granted = Math.min(announced, SMALL_BYTES);
    await this.take(this.room.small, this.granted);
    await this.take(this.room.announced, announced - this.granted);
  }

  /** Sees to room for so many bytes of it; undefined where there is already. */
  grow(length: number): Promise<void> | undefined {
    return length > this.granted ? this.takeStep(length) : undefined;
  }

  /** Gives all of it back. */
  end(): void {
    this.isOver = true;
    for (const [semaphore, amount] of this.held) semaphore.release(this.holder, amount);
    this.held.clear();
  }

  private async takeStep(length: number): Promise<void> {
    const left = this.announced - this.granted;
    const step = Math.max(left > 0 ? Math.min(left, STEP_BYTES) : STEP_BYTES, length - this.granted);
    this.granted += step;
    await this.take(this.room.announced, this.granted - SMALL_BYTES - this.heldOf(this.room.announced));
    await this.take(this.room.large, step);
  }

  /** A body that is larger than what it may have takes no more than that; one that nobody sends any more, nothing. */
  private async take(semaphore: FairSemaphore, wanted: number): Promise<void> {
    const amount = Math.min(wanted, semaphore.most - this.heldOf(semaphore));
    if (amount <= 0) return;
    this.check();
    await semaphore.acquire(this.holder, amount);
    this.held.set(semaphore, this.heldOf(semaphore) + amount);
    if (this.isOver) this.end();
    this.check();
  }

  private check(): void {
    if (this.isOver) throw new Refusal('malformed', 'The body ended early.');
  }

  private heldOf(semaphore: FairSemaphore): number {
    return this.held.get(semaphore) ?? 0;
  }
}
