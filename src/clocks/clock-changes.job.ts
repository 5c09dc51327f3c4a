import { DataSource } from 'typeorm';
import { deriveClocks } from './derive-clocks.js';
import { Health } from '../ops/health.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type Sweep } from '../ops/job-kind.js';

/** Recomputes the clocks that an apply has changed, and arms those that it has added. */
export const clockSweep: Sweep = {
  name: 'clock-sweep',
  next: '(SELECT service_now() FROM clock_changes LIMIT 1)',
  async sweep(parts) {
    const isStopped = (): boolean => parts.provider(Health).isStopping;
    await deriveClocks(parts.provider(DataSource), parts.provider(Workspaces), isStopped);
  },
};
