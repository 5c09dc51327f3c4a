import { type Lease } from '../../packages/fair/lease.js';

/** Where a job runs. */
export interface JobPlace {
  readonly lease: Lease;
  /** Aborts when the service ends: a job that can go on later stops. */
  readonly stopping: AbortSignal;
  /** Waits for another system; another job has the place meanwhile. */
  readonly outside: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Calls this when somebody tells of the job, or looks for jobs, while it runs. */
  readonly onRing: (hear: () => void) => void;
}
