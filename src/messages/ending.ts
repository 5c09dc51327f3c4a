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
  const stopped = new AbortController();
  const ending = { signal: AbortSignal.any([lease.signal, stopped.signal]), isInDoubt: false };
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    const end = (): void => {
      stopped.abort(new LostLease());
    };
    timer = setTimeout(end, ending.isInDoubt ? ANSWER_MS : 0);
  };
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  try {
    await send(ending);
  } catch (error) {
    if (!ending.signal.aborted && !(error instanceof LostLease)) throw error;
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}

/** When the service stops, a try that may have sent something waits this long for its answer. */
const ANSWER_MS = 2000;
