import { type Holder } from '../../../packages/fair/semaphore.js';
import { type JobKind, type PeriodicSweep, type Sweep } from '../ops/job-kind.js';

/** The injection token of the background work. */
export const WORK = Symbol('WORK');

/** All background work. */
export interface BackgroundWork {
  readonly jobs: readonly JobKind<Holder, unknown>[];
  readonly sweeps: readonly Sweep[];
  readonly periodic: readonly PeriodicSweep[];
  /** The names of the followers of events. */
  readonly followers: readonly string[];
}
