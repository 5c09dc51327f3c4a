import { say } from '../../../common/message.js';
import { approvalTrigger } from '../approval-trigger.js';

export const approvalRejected = approvalTrigger({
  title: 'An approval is rejected',
  description:
    'Somebody who may approve an action has rejected it; `when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].',
  type: 'approval.decided',
  isMeant: (about) => about['decision'] === 'reject',
  because: (action) => say`${action} was rejected`,
  otherwise: 'the decision is not a rejection',
});
