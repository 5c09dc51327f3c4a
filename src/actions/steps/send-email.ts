import Type from 'typebox';
import { say } from '../../common/message.js';
import { cutText, plainText } from '../../workflows/expressions/template.js';
import { checkTemplate } from '../../workflows/model/check/formulas.js';
import { refers } from '../../workflows/model/marks.js';
import { emailText } from '../../workflows/model/schema-parts.js';
import { filledText, leaveMessages } from '../messages-of-step.js';
import { addressesOf, checkRecipients, isAddress, recipientsSetting } from '../recipients.js';
import { stepType, type Run, StepFailed } from '../step.js';
import { filesIn } from '../../workflows/fields/task-change.js';
import { type StoredFile } from '../../workflows/fields/file-value.js';
import { storageOf } from '../../workflows/fields/field-types.js';
import { sizeOfBlobs } from '../../tasks/files/blobs.repository.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';

/** Limits of a message, in characters. */
const MAX_SUBJECT = 200;
const MAX_BODY = 100_000;

export const sendEmail = stepType(
  Type.Object(
    {
      to: recipientsSetting,
      subject: Type.String({
        title: 'Subject',
        description: `May hold templates. One line, cut after ${MAX_SUBJECT} characters.`,
        minLength: 1,
        maxLength: 500,
        examples: ['{{Stage}}: {{Subject}}'],
      }),
      body: Type.String({
        title: 'Body',
        description:
          'Markdown, which is sent as text and as HTML. May hold templates; their values stay plain text.',
        minLength: 1,
        maxLength: 20_000,
        examples: ['Please look at [{{Subject}}]({{Task URL}}).'],
      }),
      attach: Type.Optional(
        Type.Array(Type.String(), {
          ...refers('field'),
          title: 'Attach',
          description:
            'File fields of the task, whose current files are attached. If the files exceed 10 MB in total, the step fails.',
          minItems: 1,
          maxItems: 50,
          examples: [['Contract']],
        }),
      ),
      reply_to: Type.Optional(
        emailText({ title: 'Reply to', description: 'The address for replies, without templates.' }),
      ),
    },
    {
      title: 'Send mail',
      description:
        'Sent after the action has succeeded; never if it fails. The outcome of the step is `Queued`.',
      examples: [
        {
          to: ['{{Assigned To}}', { field: 'Reviewer' }],
          subject: 'For you: {{Subject}}',
          body: 'Please look at [{{Subject}}]({{Task URL}}).',
        },
      ],
    },
  ),
  {
    isSentLater: true,
    needsMail: true,
    check(step, scope, report) {
      checkRecipients(step, scope, report);
      checkTemplate(step.subject, scope, report.at(step, 'subject'));
      checkTemplate(step.body, scope, report.at(step, 'body'));
      if (step.attach) checkAttached(step.attach, scope, report);
      if (step.reply_to !== undefined && !isAddress(step.reply_to))
        report(step, 'reply_to', 'is not an e-mail address');
    },
    async run({ to, subject, body, attach = [], reply_to }, run) {
      const attachments = await attachedFiles(attach, run);
      const line = plainText(filledText(subject, run, 5000))
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim();
      const message = {
        kind: 'email' as const,
        replyTo: reply_to ?? null,
        subject: plainText(cutText([line === '' ? run.action.name : line], MAX_SUBJECT)),
        body: filledText(body, run, MAX_BODY),
        ...(attachments.length > 0 && { attachments }),
      };
      await leaveMessages(
        run,
        addressesOf(to, run).map((recipient) => ({ ...message, recipient })),
      );
    },
  },
);

/** The maximum size of all attachments of a mail, in bytes. Most mail servers accept this size. */
const MAX_BYTES = 10 * 2 ** 20;

/** Reports fields in `attach` that are not file fields. */
function checkAttached(names: readonly string[], scope: WorkflowScope, report: Report): void {
  names.forEach((name, index) => {
    const field = scope.fields.get(name);
    if (field && storageOf(field.type) !== 'blobs') report(names, index, `is not a file field: ${name}`);
  });
}

/** Returns the files in these fields of the task; throws if they are too large. */
async function attachedFiles(names: readonly string[], run: Run): Promise<StoredFile[]> {
  const { scope, task } = run.context;
  const { byName } = scope.workflow.schema;
  const files = names.flatMap((name) => filesIn(task.fieldValues[byName.get(name)?.fieldId ?? '']));
  if (files.length === 0) return [];
  const ids = files.map(({ blobId }) => blobId);
  const bytes = await sizeOfBlobs(run.reads, scope.workspaceId, ids);
  if (bytes > MAX_BYTES)
    throw new StepFailed(
      say`the attachments have ${Math.ceil(bytes / 2 ** 20)} MB; at most 10 MB are allowed`,
    );
  return files;
}
