import Type from 'typebox';
import { checkTemplate } from '../../workflows/model/check/formulas.js';
import { filledText, leaveMessages } from '../messages-of-step.js';
import { refers } from '../../workflows/model/marks.js';
import { stepType } from '../step.js';

/** In characters. Every type of channel accepts a text of this length, even with escapes. */
const MAX_TEXT = 5000;

export const postMessage = stepType(
  Type.Object(
    {
      channel: Type.String({
        ...refers('channel'),
        title: 'Channel',
        description: 'The id of a channel of the workspace.',
        examples: ['ops'],
      }),
      text: Type.String({
        title: 'Text',
        description: `May hold templates; their values become neither mentions nor links. The result is cut after ${MAX_TEXT} characters.`,
        minLength: 1,
        maxLength: MAX_TEXT,
        examples: ['{{Subject}} was approved: {{Task URL}}'],
      }),
    },
    {
      title: 'Post to a channel',
      description:
        'Posted after the action has succeeded; never if it fails. The outcome of the step is `Queued`.',
      examples: [{ channel: 'ops', text: '{{Subject}} was approved: {{Task URL}}' }],
    },
  ),
  {
    isSentLater: true,
    check(step, scope, report) {
      checkTemplate(step.text, scope, report.at(step, 'text'));
    },
    async run({ channel, text }, run) {
      const body = filledText(text, run, MAX_TEXT);
      await leaveMessages(run, [{ kind: 'post', recipient: channel, replyTo: null, subject: null, body }]);
    },
  },
);
