import Type from 'typebox';
import { hashOfToken } from '../../access/secret-token.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { say } from '../../common/message.js';
import { randomText } from '../../common/random-id.js';
import { tokenOfMessage } from '../../messages/message-link.js';
import { AskEntity } from '../asks/ask.entity.js';
import { checkFormFields, formFields } from '../asks/form-fields.js';
import { leaveMessages, type LeftMessage } from '../messages-of-step.js';
import { addressesOf, checkRecipients, recipientsSetting } from '../recipients.js';
import { StepFailed, stepType } from '../step.js';

export const askSomebody = stepType(
  Type.Object(
    {
      to: recipientsSetting,
      fields: formFields({
        title: 'Fields',
        description: 'The fields that the form shows and that its sender may change, in order.',
        examples: [['Contact', { field: 'Contract', required: true }]],
      }),
      days: Type.Integer({
        title: 'Days',
        description: 'The number of days after which the link expires.',
        minimum: 1,
        maximum: 90,
        default: 14,
      }),
    },
    {
      title: 'Ask somebody',
      description:
        'Mails a link to a form for this task. A person with the link can send the form once and needs no account. The form shows the current values of its fields. The outcome of the step is `Queued`.',
      examples: [{ to: '{{Contact}}', fields: ['Website', 'Contract'], days: 14 }],
    },
  ),
  {
    isSentLater: true,
    needsMail: true,
    check(step, scope, report) {
      checkRecipients(step, scope, report);
      checkFormFields(step, scope, report);
    },
    async run({ name, to, fields, days }, run) {
      const { scope, task } = run.context;
      const { schema } = scope.workflow;
      const asked = fields.map((one) => {
        const id = schema.byName.get(one.field)?.fieldId;
        if (id === undefined) throw new StepFailed(say`there is no field ${one.field} any more`);
        return { ...one, id };
      });
      const recipients = addressesOf(to, run);
      if (!run.tx) return;
      const about = { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId: task.id, title: name, actionId: run.action.id, fields: asked }; // prettier-ignore
      const expiresAt = new Date(serviceTime(run.tx).getTime() + days * 86_400_000);
      const letters: LeftMessage[] = [];
      for (const recipient of recipients) {
        const id = randomText(12);
        const token = tokenOfMessage(scope.workflow.cursorKey, { workspaceId: scope.workspaceId, id });
        await run.tx.insert(AskEntity, { ...about, hash: hashOfToken(token), recipient, expiresAt });
        letters.push({ id, ...letterOf(name, recipient, `${run.address}/ask/`, expiresAt) });
      }
      await leaveMessages(run, letters);
    },
  },
);

function letterOf(title: string, recipient: string, link: string, expiresAt: Date): LeftMessage {
  return {
    kind: 'email',
    recipient,
    replyTo: null,
    subject: title,
    body: [{ value: title }, ':\n\n[', { link }, '](', { link }, ')\n\nThe link can be used once, until ', { value: expiresAt.toISOString().slice(0, 10) }, '.'], // prettier-ignore
  };
}
