import { expireApprovals } from './expire-approvals.js';
import { type Sweep } from '../ops/job-kind.js';

/** Records that approvals have expired. They stop counting at their expiry, before this runs. */
export const approvalSweep: Sweep = {
  name: 'approval-sweep',
  next: `(SELECT min(expires_at) FROM approvals WHERE state = 'live' AND NOT is_past)`,
  async sweep({ db }) {
    while ((await expireApprovals(db)) > 0);
  },
};
