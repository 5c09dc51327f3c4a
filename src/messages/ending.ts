import { LostLease } from '../../packages/fair/lease.js';
import { type JobPlace } from '../common/ops/job-kind.js';

/** A try to send, which ends when the lease is lost or the service stops. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Whether something may have been sent: its answer is then awaited for a while when the service stops. */
  isInDoubt: boolean;
}

/** Tries to send. A try that has to end stays without a result: whoever claims the work next continues. */
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

/** How long a message that may have been sent waits for its answer when the service stops. */
const ANSWER_MS = 2000;
