import { compileTemplate, type FilledText, cutText } from '../workflows/expressions/template.js';
import { randomText } from '../common/random-id.js';
import { enterMessages, type NewMessage } from '../messages/messages.repository.js';
import { type Run } from './step.js';
import { referredTo, shown } from './step-values.js';

export type LeftMessage = Pick<
  NewMessage,
  'kind' | 'recipient' | 'replyTo' | 'subject' | 'body' | 'attachments'
> &
  Partial<Pick<NewMessage, 'id'>>;

/** Queues messages that are sent after the execution has succeeded. Does nothing without a transaction. */
export async function leaveMessages(run: Run, left: readonly LeftMessage[]): Promise<void> {
  if (!run.tx) return;
  const { scope, task } = run.context;
  const { workspaceId, origin } = scope;
  const messages = left.map((message): NewMessage => ({
    id: randomText(12),
    ...message,
    workflowId: scope.workflow.id,
    taskId: task.id,
    uniqueValue: task.uniqueValue,
    taskUrl: shown(referredTo('Task URL', run.context)),
    executionId: run.execution,
    step: run.step,
    origin: origin?.text ?? null,
  }));
  await enterMessages(run.tx, workspaceId, messages);
  run.messages.push(...messages.map(({ id }) => ({ workspaceId, id })));
}

export function filledText(template: string, { context }: Pick<Run, 'context'>, most: number): FilledText {
  const parts = compileTemplate(template).parts.map((part) =>
    typeof part === 'string' ? part : { value: shown(referredTo(part.name, context)) },
  );
  return cutText(parts, most);
}
