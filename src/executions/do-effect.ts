import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { retryAfterMs } from '../../packages/safe-http/retry-after.js';
import { type EffectAnswer, type EffectKind, type Sender } from '../actions/effect.js';
import { type Pause } from '../common/pause.js';
import { StepFailed } from '../actions/step.js';

/** The call of a step with all its tries and pauses, for the log. */
export interface MadeCall {
  readonly step: string;
  tries: number;
  ms: number;
}

/**
 * Carries out an effect. While the other system is not ready, it is tried again after growing pauses, always with the
 * same key. Throws `StepFailed` with the reason of the last try.
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

/** If a system asks for a longer pause, the call is not tried again. */
const MAX_PAUSE_MS = 300_000;

/** In milliseconds, never shorter than `Retry-After`; undefined if there is no further try. */
export function pauseAfter(tries: number, retryAfter: string | undefined): number | undefined {
  // Jitter keeps many calls from coming back at once. A pause is never shorter than the one before.
  const ownMs = Math.min(500 * 2 ** (tries - 1), 60_000) * (0.75 + Math.random() / 2);
  const pauseMs = Math.max(ownMs, retryAfterMs(retryAfter ?? ''));
  return pauseMs > MAX_PAUSE_MS ? undefined : pauseMs;
}
