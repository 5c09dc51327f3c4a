import { type Writable } from 'node:stream';
import { type Request } from 'express';
import { busy, Refusal } from '../lib/errors.js';
import { FairSemaphore, type Holder } from '../../packages/fair/semaphore.js';

/** The injection token of the memory for request bodies. */
export const BODIES = Symbol('bodies');

/** A body up to this many bytes never waits behind larger ones. */
export const SMALL_BYTES = 2 ** 16;
const STEP_BYTES = 2 ** 20;

/** A request, with its principal once the guards have identified it. */
export type BodyRequest = Request & { readonly principal?: Holder | undefined };

interface Answered extends Pick<BodyRequest, 'principal'> {
  readonly res?: Writable | undefined;
}

/**
 * The memory for request bodies, from their arrival until they are answered. A large body is admitted by the length
 * that it announces, so that bodies of one key that have begun can end; it takes memory only as it arrives.
 */
export class BodyRoom {
  readonly small: FairSemaphore;
  readonly large: FairSemaphore;
  /** Announced bytes of large bodies. Each key and workspace has its share; the total may exceed the memory. */
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
    // A client that left before, as while the request waited elsewhere, emits no second `close`.
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
    // In this order, a large body that waits holds no room of small ones.
    await this.take(this.room.announced, announced - this.granted);
    await this.take(this.room.small, this.granted);
  }

  /** Reserves memory for this many bytes of the body; undefined where it is reserved already. */
  grow(length: number): Promise<void> | undefined {
    return length > this.granted ? this.takeStep(length) : undefined;
  }

  /** Releases all of it. */
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

  /** A body larger than the semaphore takes no more than all of it. Throws where the client has left. */
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
