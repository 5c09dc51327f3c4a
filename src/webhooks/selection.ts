import { type EntityManager } from 'typeorm';
import { type ExpressionContext, expressionInput } from '../actions/action-context.js';
import { expressionOf } from '../actions/linked-reads.js';
import { type WebhookEntity } from '../workflows/model/entities/webhook.entity.js';
import { type EventNames } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { taskChanges } from '../events/task-changes.js';
import { TimeAllowed } from '../workflows/expressions/time-allowed.js';
import { type Expression } from '../workflows/expressions/expression.js';
import { ExpressionError } from '../workflows/expressions/expression-error.js';
import { todayIn } from '../common/calendar.js';
import { Scope } from '../workflows/model/scope.js';
import { taskAtEvent, type TaskAtEvent } from '../events/task-at-event.js';

/** The settings by which a webhook selects events. */
export type Subscription = Pick<
  WebhookEntity,
  'workspaceId' | 'id' | 'events' | 'workflows' | 'fields' | 'condition' | 'beginsAt'
>;

/** Whether a webhook gets an event. */
export async function isMeant(
  db: EntityManager,
  webhook: Subscription,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const { events, workflows, fields, condition, beginsAt } = webhook;
  if (event.happenedAt < beginsAt || !events.some((type) => type === event.type)) return false;
  const slug = event.workflowId === null ? null : names.slugOf(event.workflowId);
  if (workflows && (slug === null || !workflows.includes(slug))) return false;
  if (fields && event.type === 'task.updated') {
    const changed = taskChanges(event, names).map(({ name }) => name);
    if (!changed.some((name) => fields.includes(name))) return false;
  }
  return condition === null || meets(db, webhook.workspaceId, condition, event, names);
}

/** Whether the task of an event meets a condition; false without a task, or if the evaluation fails. */
async function meets(
  db: EntityManager,
  workspaceId: number,
  condition: string,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const workflow = event.workflowId === null ? undefined : names.workflowOf(event.workflowId);
  if (!workflow) return false;
  try {
    const expression = expressionOf(workflow.schema, condition, 'before');
    const fieldIds = [...expression.fields, ...expression.ofOther].flatMap(
      (name) => workflow.schema.byName.get(name)?.fieldId ?? [],
    );
    const task = await taskAtEvent(db, workspaceId, event, fieldIds);
    if (!task) return false;
    return expression.evaluate(inputOf(new Scope(workflow), expression, task, event)) === true;
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

function inputOf(
  scope: Scope,
  expression: Expression,
  { after, before }: TaskAtEvent,
  { happenedAt }: RecordedEvent,
): ReturnType<typeof expressionInput> {
  const context: ExpressionContext = {
    scope,
    task: after,
    linked: new Map(),
    performer: undefined,
    today: todayIn(scope.workflow.timezone, happenedAt),
    now: happenedAt,
    timeAllowed: new TimeAllowed(),
  };
  const input = expressionInput(
    context,
    expression,
    before && { schema: scope.workflow.schema, task: before },
  );
  const blank = new Map(Array.from(expression.ofOther, (name) => [name, null]));
  return { ...input, other: input.other ?? blank };
}
