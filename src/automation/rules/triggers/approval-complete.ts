import { say } from '../../../common/message.js';
import { approvalTrigger } from '../approval-trigger.js';

export const approvalComplete = approvalTrigger({
  title: 'The approvals of an action are complete',
  description:
    'Every needed group has all its approvals; `when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].',
  type: 'approval.complete',
  isMeant: (about) => about['is_last'] === true,
  because: (action) => say`${action} has all its approvals`,
  otherwise: 'other groups are not complete',
});
