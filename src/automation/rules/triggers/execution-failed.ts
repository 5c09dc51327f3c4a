import { say } from '../../../common/message.js';
import { executionTrigger } from '../execution-trigger.js';

export const executionFailed = executionTrigger(
  'execution.failed',
  {
    title: 'An action fails',
    description:
      'An execution that had begun ended with Fail; `when` and `fields` may read execution["action"], execution["performer"], execution["errors"].',
  },
  (action) => say`${action} failed`,
);
