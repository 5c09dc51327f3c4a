import { LostLease } from '../../packages/fair/lease.js';
import { type JobPlace } from '../common/ops/job-kind.js';

/** If the lease is lost or the service stops, `signal` ends the attempt to send. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Whether something may have been sent. If so, a stopping service waits briefly for the response. */
  isInDoubt: boolean;
}

/**
 * Runs an attempt to send. If the attempt was aborted or the lease is lost, ignores the attempt's error. The
 * process that next claims the work will continue it.
 */
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

/** How long a stopping service waits for the response, in milliseconds. */
const ANSWER_MS = 2000;
