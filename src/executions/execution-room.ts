import { type EffectRoom } from '../actions/effect.js';
import { type Claimed } from './claims.repository.js';

/** There are too many calls of this kind; the execution may go on later. */
export class TooManyCalls extends Error {}

/** A call to another system, as far as it matters to others that wait too. */
export interface WaitingCall {
  readonly workspaceId: number;
  /** The other system. */
  readonly receiver: string;
  /** Characters that are held meanwhile. */
  readonly held: number;
}

/** What a call of an execution takes while it is under way. */
export function waitingCall({ workspaceId, task }: Claimed, { receiver, held }: EffectRoom): WaitingCall {
  // Other values are short.
  const texts = Object.values(task?.fieldValues ?? {}).filter((value) => typeof value === 'string');
  return { workspaceId, receiver, held: texts.reduce((held, text) => held + text.length, held) };
}

/**
 * Calls that are under way, by the memory that their executions hold: of all there may be, one receiver may have a
 * quarter and one workspace a half. So receivers that hang keep no other waiting.
 */
export class WaitingCalls {
  private readonly taken = new Map<string, number>();

  /** Makes the call; throws `TooManyCalls` where it would be more than its share. */
  async make<T>({ workspaceId, receiver, held }: WaitingCall, call: () => Promise<T>): Promise<T> {
    // One that holds more than a receiver's share takes all of it.
    const weight = Math.min(held + OWN_WEIGHT, MAX_HELD / 4);
    const shares: [string, number][] = [
      ['', MAX_HELD],
      [`workspace ${workspaceId}`, MAX_HELD / 2],
      [`receiver ${receiver}`, MAX_HELD / 4],
    ];
    const fits = ([name, share]: [string, number]): boolean => this.of(name) + weight <= share;
    if (!shares.every(fits)) throw new TooManyCalls();
    for (const [name] of shares) this.taken.set(name, this.of(name) + weight);
    try {
      return await call();
    } finally {
      for (const [name] of shares) this.leave(name, weight);
    }
  }

  private of(name: string): number {
    return this.taken.get(name) ?? 0;
  }

  private leave(name: string, weight: number): void {
    if (this.of(name) > weight) this.taken.set(name, this.of(name) - weight);
    else this.taken.delete(name);
  }
}

/** Enough for 2,000 small ones. */
const MAX_HELD = 64 * 2 ** 20;
/** What an execution takes besides the texts of its task and its request. */
const OWN_WEIGHT = 32 * 2 ** 10;
