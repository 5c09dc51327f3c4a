import { type EffectRoom } from '../actions/effect.js';
import { type Claimed } from './claims.repository.js';

/** The share of a call is used up; the execution can continue later. */
export class TooManyCalls extends Error {}

/** The resources of a call, which it shares with other calls that wait. */
export interface WaitingCall {
  readonly workspaceId: number;
  /** The origin of the other system. */
  readonly receiver: string;
  /** Characters held in memory until the answer. */
  readonly held: number;
}

/** The resources of an execution's call while it is under way. */
export function waitingCall({ workspaceId, task }: Claimed, { receiver, held }: EffectRoom): WaitingCall {
  // Values of other types are short.
  const texts = Object.values(task?.fieldValues ?? {}).filter((value) => typeof value === 'string');
  return { workspaceId, receiver, held: texts.reduce((held, text) => held + text.length, held) };
}

/**
 * Limits the calls under way by the memory that their executions hold. One receiver may use a quarter of it and one
 * workspace half, so that receivers that hang do not delay other calls.
 */
export class WaitingCalls {
  private readonly taken = new Map<string, number>();

  /** Makes the call; throws `TooManyCalls` if it would exceed its share. */
  async make<T>({ workspaceId, receiver, held }: WaitingCall, call: () => Promise<T>): Promise<T> {
    // A call larger than a receiver's share counts as the whole share.
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

/** Enough for 2,000 small calls. */
const MAX_HELD = 64 * 2 ** 20;
/** The memory of an execution besides the texts of its task and request. */
const OWN_WEIGHT = 32 * 2 ** 10;
