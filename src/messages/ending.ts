import { LostLease } from '../../packages/fair/lease.js';
import { type JobPlace } from '../common/ops/job-kind.js';

/** Aborts a try when the lease is lost or the service stops; what may have been sent gets time for its answer. */
export class Ending {
  isInDoubt = false;
  private readonly ended = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly place: Pick<JobPlace, 'lease' | 'stopping'>) {
    place.lease.signal.addEventListener('abort', this.lose);
    place.stopping.addEventListener('abort', this.stop);
    if (place.lease.signal.aborted) this.lose();
    if (place.stopping.aborted) this.stop();
  }

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.place.lease.signal.removeEventListener('abort', this.lose);
    this.place.stopping.removeEventListener('abort', this.stop);
  }

  private readonly lose = (): void => {
    this.ended.abort(new LostLease());
  };

  private readonly stop = (): void => {
    this.timer = setTimeout(this.lose, this.isInDoubt ? ANSWER_MS : 0);
  };
}

/** How long a message that may have been sent waits for its answer when the service stops. */
const ANSWER_MS = 2000;
