import { evaluateAtEvent, fieldIdsOf } from '../actions/at-event.js';
import { type EntityManager } from 'typeorm';
import { expressionOf } from '../actions/linked-reads.js';
import { type WebhookEntity } from '../workflows/model/entities/webhook.entity.js';
import { type EventNames } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { taskChanges } from '../events/task-changes.js';
import { ExpressionError } from '../workflows/expressions/expression-error.js';
import { taskAtEvent } from '../events/task-at-event.js';

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
    const task = await taskAtEvent(db, workspaceId, event, fieldIdsOf(workflow, expression));
    return task !== undefined && evaluateAtEvent(expression, { workflow, event, task }) === true;
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}
