import { LostLease } from '../../packages/fair/lease.js';
import { type JobPlace } from '../common/ops/job-kind.js';

/** When a try to send has to end: the lease is lost, or the service stops. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Whether something may have been sent. Then the service waits for its answer for a while when it stops. */
  isInDoubt: boolean;
}

/** Tries to send. A try that has to end leaves no result, and whoever claims the work next continues. */
export async function untilEnd(
  { lease, stopping }: Pick<JobPlace, 'lease' | 'stopping'>,
  send: (ending: Ending) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const ending = { signal: ended.signal, isInDoubt: false };
  let timer: NodeJS.Timeout | undefined;
  const lose = (): void => {
    ended.abort(new LostLease());
  };
  const stop = (): void => {
    timer = setTimeout(lose, ending.isInDoubt ? ANSWER_MS : 0);
  };
  lease.signal.addEventListener('abort', lose);
  stopping.addEventListener('abort', stop);
  if (lease.signal.aborted) lose();
  if (stopping.aborted) stop();
  try {
    await send(ending);
  } catch (error) {
    if (!ending.signal.aborted && !(error instanceof LostLease)) throw error;
  } finally {
    clearTimeout(timer);
    lease.signal.removeEventListener('abort', lose);
    stopping.removeEventListener('abort', stop);
  }
}

/** When the service stops, a try that may have sent something waits this long for its answer. */
const ANSWER_MS = 2000;
