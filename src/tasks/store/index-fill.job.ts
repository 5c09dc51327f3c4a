import { fillIndexes, unfilledWorkspaces } from './index-fields.js';
import { Health } from '../../common/ops/health.js';
import { type Sweep } from '../../common/ops/job-kind.js';

/** Continues to fill indexes of fields that an `apply` left incomplete. Several processes may do so at once. */
export const indexSweep: Sweep = {
  name: 'index-sweep',
  next: '(SELECT service_now() FROM field_indexes WHERE NOT is_filled LIMIT 1)',
  async sweep(parts) {
    const isStopped = (): boolean => parts.provider(Health).isStopping;
    for (const workspaceId of await unfilledWorkspaces(parts.db))
      await fillIndexes(parts.db, workspaceId, isStopped);
  },
};
