import { expireApprovals } from './expire-approvals.js';
import { type Sweep } from '../ops/job-kind.js';

/** Records that approvals have expired. They stop counting at their expiry, before this runs. */
export const approvalSweep: Sweep = {
  name: 'approval-sweep',
  pauseMs: () => 1000,
  async sweep({ db }) {
    while ((await expireApprovals(db)) > 0);
  },
};
