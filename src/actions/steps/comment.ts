import Type from 'typebox';
import { writeComment } from '../../comments/comments.repository.js';
import { mentionsIn } from '../../comments/mentions.js';
import { checkTemplate } from '../../workflows/model/check/formulas.js';
import { stepType, StepFailed } from '../step.js';
import { renderText } from '../step-values.js';
import { isBlankText } from '../../common/text.js';

/** The maximum length of a comment, as in the API. */
const MAX_TEXT = 10_000;

export const comment = stepType(
  Type.Object(
    {
      text: Type.String({
        title: 'Text',
        description: `May hold templates. The result is cut after ${MAX_TEXT} characters.`,
        minLength: 1,
        maxLength: MAX_TEXT,
        examples: ['{{Subject}} was given back: {{Reason}}'],
      }),
    },
    {
      title: 'Comment on the task',
      description:
        'The author is the performer. Without a performer, the author is what started the action, such as `rule hand-over`, or `API`.',
      examples: [{ text: 'Given back by {{Assigned To}}' }],
    },
  ),
  {
    check(step, scope, report) {
      checkTemplate(step.text, scope, report.at(step, 'text'));
    },
    touches: () => [],
    async run({ text }, { context, tx }) {
      const { scope, task, performer } = context;
      const said = renderText(text, context);
      if (isBlankText(said)) throw new StepFailed('its text is blank');
      const cause = scope.origin?.source.cause;
      const key = { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId: task.id };
      const saidBy = cause ? `${cause.kind} ${cause.id}` : null;
      const body = said.slice(0, MAX_TEXT).toWellFormed();
      const mentions = mentionsIn(body, scope.workflow, task);
      if (tx) await writeComment(tx, key, { authorId: performer?.id ?? null, saidBy, body, mentions });
    },
  },
);
