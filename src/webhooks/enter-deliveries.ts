import { type EntityManager } from 'typeorm';
import { enterDeliveries, type NewDelivery } from './deliveries.repository.js';
import { type ClaimedReceiver } from './receivers.repository.js';
import { type EventFeed } from '../events/event-feed.js';
import { type SentWebhook, type Subscription } from './webhooks.repository.js';
import { evaluateAtEvent, fieldIdsOf } from '../actions/at-event.js';
import { expressionOf } from '../actions/linked-reads.js';
import { type EventNames } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { taskChanges } from '../events/task-changes.js';
import { ExpressionError } from '../workflows/expressions/expression-error.js';
import { taskAtEvent } from '../events/task-at-event.js';

/** Enters deliveries of the next events for a receiver's webhooks; false if no webhook moved on in the feed. */
export async function enterNextDeliveries(
  db: EntityManager,
  feed: EventFeed,
  receiver: ClaimedReceiver,
  webhooks: readonly SentWebhook[],
  delayMs: number,
): Promise<boolean> {
  const moved = await Promise.all(
    webhooks.map(async (webhook) => {
      const { id: webhookId, feedPosition: from } = webhook;
      const { to, meant } = await readOn(db, feed, webhook);
      return to !== from && enterDeliveries(db, receiver, { webhookId, from, to }, meant, delayMs);
    }),
  );
  return moved.includes(true);
}

/** The deliveries of a webhook for the next events, as far as it has room, and the position after these events. */
async function readOn(
  db: EntityManager,
  feed: EventFeed,
  webhook: SentWebhook,
): Promise<{ readonly to: number; readonly meant: readonly NewDelivery[] }> {
  const { workspaceId, feedPosition, room } = webhook;
  if (room === 0) return { to: feedPosition, meant: [] };
  const { rows, names } = await feed.readRecorded(workspaceId, feedPosition, webhook.events);
  const meant: NewDelivery[] = [];
  for (const { position, event } of rows) {
    if (!event || !(await isMeant(db, webhook, event, names))) continue;
    const { id: eventId, place: eventPlace, type, taskId } = event;
    meant.push({ eventId, eventPlace, type, taskId });
    if (meant.length === room) return { to: position, meant };
  }
  return { to: rows.at(-1)?.position ?? feedPosition, meant };
}

export async function isMeant(
  db: EntityManager,
  webhook: Subscription,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const { events, workflows, fields, when, beginsAt } = webhook;
  if (event.happenedAt < beginsAt || !events.some((type) => type === event.type)) return false;
  const slug = event.workflowId === null ? null : names.slugOf(event.workflowId);
  if (workflows && (slug === null || !workflows.includes(slug))) return false;
  if (fields && event.type === 'task.updated') {
    const changed = taskChanges(event, names).map(({ name }) => name);
    if (!changed.some((name) => fields.includes(name))) return false;
  }
  return when === null || meets(db, webhook.workspaceId, when, event, names);
}

/** Whether the task of an event meets a condition; false if there is no task, or the evaluation fails. */
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
