import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { retryAfterMs } from '../../packages/safe-http/retry-after.js';
import { type EffectAnswer, type EffectKind, type Sender, type EffectRoom } from '../actions/effect.js';
import { type Pause } from '../common/pause.js';
import { StepFailed } from '../actions/step.js';
import { type Stored } from '../workflows/fields/field-type.js';

/** The call of a step with all its tries and pauses, for the log. */
export interface MadeCall {
  readonly step: string;
  tries: number;
  ms: number;
}

/**
 * Calls another system. After a temporary failure, tries again after growing pauses, with the same
 * idempotency key. Throws `StepFailed` with the reason of the last try.
 */
export async function doEffect<Request>(
  kind: EffectKind<Request>,
  request: Request,
  sender: Sender,
  signal: AbortSignal,
  made: MadeCall,
  pause: Pause,
): Promise<EffectAnswer> {
  const { most, timeoutMs } = kind.tries(request);
  const begunAt = performance.now();
  try {
    for (;;) {
      made.tries += 1;
      const attempt = await withTimeLimit(timeoutMs, [signal], (within) =>
        kind.attempt(request, sender, within),
      );
      if ('answer' in attempt) return attempt.answer;
      signal.throwIfAborted();
      const { reason, isPassing, retryAfter } = attempt;
      const pauseMs = isPassing && made.tries < most ? pauseAfter(made.tries, retryAfter) : undefined;
      if (pauseMs === undefined) throw new StepFailed(reason);
      await pause(pauseMs, signal);
    }
  } finally {
    made.ms = Math.round(performance.now() - begunAt);
  }
}

/** The longest pause before a retry. If the other system demands a longer pause, the call fails. */
const MAX_PAUSE_MS = 300_000;

/** The milliseconds before the next try, at least `Retry-After`. Undefined if the call must fail. */
export function pauseAfter(tries: number, retryAfter: string | undefined): number | undefined {
  // Jitter spreads the retries of many calls.
  const ownMs = Math.min(500 * 2 ** (tries - 1), 60_000) * (0.75 + Math.random() / 2);
  const pauseMs = Math.max(ownMs, retryAfterMs(retryAfter ?? ''));
  return pauseMs > MAX_PAUSE_MS ? undefined : pauseMs;
}

/** Thrown if the calls that wait already use too much memory. The execution can continue later. */
export class TooManyCalls extends Error {}

export interface WaitingCall {
  readonly workspaceId: number;
  /** The origin of the other system's URL. */
  readonly receiver: string;
  /** How many characters stay in memory until the answer arrives. */
  readonly held: number;
}

interface CallingExecution {
  readonly workspaceId: number;
  readonly task: { readonly fieldValues: Readonly<Record<string, Stored>> } | null;
}

export function waitingCall(
  { workspaceId, task }: CallingExecution,
  { receiver, held }: EffectRoom,
): WaitingCall {
  // Counts only texts, because other values are short. Long lists of files are an exception.
  const texts = Object.values(task?.fieldValues ?? {}).filter((value) => typeof value === 'string');
  return { workspaceId, receiver, held: texts.reduce((held, text) => held + text.length, held) };
}

/**
 * Limits the memory of calls that wait for an answer. A receiver can hang, so one receiver may take at most a
 * quarter of the memory, and one workspace may take at most half.
 */
export class WaitingCalls {
  private readonly taken = new Map<string, number>();

  /** Makes the call. Throws `TooManyCalls` if the call would exceed a share. */
  async make<T>({ workspaceId, receiver, held }: WaitingCall, call: () => Promise<T>): Promise<T> {
    // A call that is larger than a receiver's share counts as the whole share.
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

/** The memory that all waiting calls may take together, in characters. It is enough for 2,000 small calls. */
const MAX_HELD = 64 * 2 ** 20;
/** How much one call counts in addition to the texts of its task and request. */
const OWN_WEIGHT = 32 * 2 ** 10;
