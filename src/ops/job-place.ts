import { type Lease } from '../../packages/fair/lease.js';

/** The environment of a running job. */
export interface JobPlace {
  readonly lease: Lease;
  /** Aborts when the service stops: a job that can be continued later should stop. */
  readonly stopping: AbortSignal;
  /** Waits for another system; another job may use the place meanwhile. */
  readonly outside: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Registers a callback for announcements of the job, and for looks for jobs, while it runs. */
  readonly onRing: (hear: () => void) => void;
}
