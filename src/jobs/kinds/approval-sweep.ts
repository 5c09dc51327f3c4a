import { expireApprovals } from '../../approvals/expire-approvals.js';
import { type Sweep } from '../job-kind.js';

/** Tells of approvals that have expired: they count no longer as soon as their time is over. */
export const approvalSweep: Sweep = {
  name: 'approval-sweep',
  pauseMs: () => 500,
  async sweep({ db }) {
    while ((await expireApprovals(db)) > 0);
  },
};
