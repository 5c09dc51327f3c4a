import { say } from '../../../common/message.js';
import { approvalTrigger } from '../approval-trigger.js';

export const approvalStale = approvalTrigger({
  title: 'An approval no longer counts',
  description:
    'The values that somebody decided on have changed, or an approval has expired; `when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].',
  type: 'approval.stale',
  isMeant: () => true,
  because: (action) => say`an approval of ${action} is stale`,
  otherwise: 'an approval is stale',
});
