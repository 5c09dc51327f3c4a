import Type from 'typebox';
import { type Message, say } from '../../../common/message.js';
import { refers } from '../../../workflows/model/marks.js';
import { each, mayBecome, triggerType, type TriggerType } from '../trigger.js';

export const executionSucceeded = executionTrigger(
  'execution.succeeded',
  {
    title: 'An action succeeds',
    description:
      'An execution ended with Success; `when` and `fields` may read execution["action"], execution["performer"].',
  },
  (action) => say`${action} succeeded`,
);

export const executionFailed = executionTrigger(
  'execution.failed',
  {
    title: 'An action fails',
    description:
      'An execution that had begun ended with Fail; `when` and `fields` may read execution["action"], execution["performer"], execution["errors"].',
  },
  (action) => say`${action} failed`,
);

function executionTrigger(
  type: string,
  words: { readonly title: string; readonly description: string },
  because: (action: string) => Message,
): TriggerType {
  const settings = Type.Object(
    {
      action: Type.Optional(
        Type.String({
          ...refers('action'),
          title: 'Action',
          description: 'The id of an action. Default: any.',
        }),
      ),
    },
    { ...words, examples: [{ action: 'close' }] },
  );
  return triggerType(settings, {
    types: [type],
    reads: 'execution',
    follows: ({ action }, { is, key }) => is === 'ended' && mayBecome(key, each(action)),
    compile:
      ({ action }) =>
      ({ event: { about } }) => {
        const name = typeof about?.['name'] === 'string' ? about['name'] : '';
        // An action that a rule could not start has not failed.
        if (about?.['unavailable'] === true) return { isMet: false, because: say`${name} was not available` };
        return { isMet: action === undefined || about?.['action'] === action, because: because(name) };
      },
  });
}
