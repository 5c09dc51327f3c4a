import { type Holder } from '../../../packages/fair/semaphore.js';
import { type Feature } from '../../features.js';
import { followFeeds } from '../../events/followers/follow.job.js';
import { type JobKind, type PeriodicSweep, type Sweep } from '../ops/job-kind.js';
import { expiredRows } from './expired-rows.js';

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

export function workOf(features: readonly Feature[]): BackgroundWork {
  const followers = features.flatMap((feature) => feature.followers ?? []);
  return {
    jobs: [...features.flatMap(({ jobs }) => jobs ?? []), followFeeds(followers)],
    sweeps: features.flatMap(({ sweeps }) => sweeps ?? []),
    periodic: [
      expiredRows(features.flatMap(({ leftovers }) => leftovers ?? [])),
      ...features.flatMap(({ periodic }) => periodic ?? []),
    ],
    followers: followers.map(({ name }) => name),
  };
}
