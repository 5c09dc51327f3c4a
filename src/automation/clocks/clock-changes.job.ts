import { DataSource } from 'typeorm';
import { deriveClocks } from './derive-clocks.js';
import { Health } from '../../common/ops/health.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type Sweep } from '../../common/ops/job-kind.js';

/** Recomputes the clocks that an apply has changed, and arms those that it has added. */
export const clockSweep: Sweep = {
  name: 'clock-sweep',
  next: '(SELECT service_now() FROM clock_changes LIMIT 1)',
  async sweep(parts) {
    const isStopped = (): boolean => parts.provider(Health).isStopping;
    await deriveClocks(parts.provider(DataSource), parts.provider(Workspaces), isStopped);
  },
};
