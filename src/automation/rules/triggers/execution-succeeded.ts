import { say } from '../../../common/message.js';
import { executionTrigger } from '../execution-trigger.js';

export const executionSucceeded = executionTrigger(
  'execution.succeeded',
  {
    title: 'An action succeeds',
    description:
      'An execution ended with Success; `when` and `fields` may read execution["action"], execution["performer"].',
  },
  (action) => say`${action} succeeded`,
);
