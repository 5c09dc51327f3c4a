import { type EntityManager } from 'typeorm';
import { enterDeliveries, type NewDelivery } from './deliveries.repository.js';
import { type ClaimedWebhook } from './due-webhooks.js';
import { type EventFeed } from '../events/event-feed.js';
import { type SentWebhook, type Subscription } from './webhooks.repository.js';
import { evaluateAtEvent, fieldIdsOf } from '../actions/at-event.js';
import { expressionIfAny } from '../actions/linked-reads.js';
import { type EventNames } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { ExpressionError } from '../workflows/expressions/expression-error.js';
import { taskAtEvent } from '../events/task-at-event.js';

/**
 * Reads the next events of the feed, and inserts as many deliveries as the webhook may queue. Returns false
 * if the webhook keeps its position in the feed.
 */
export async function enterNextDeliveries(
  db: EntityManager,
  feed: EventFeed,
  claimed: ClaimedWebhook,
  webhook: SentWebhook,
  delayMs: number,
): Promise<boolean> {
  const { workspaceId, feedPosition: from, room } = webhook;
  if (room === 0) return false;
  const { rows, names } = await feed.readRecorded(workspaceId, from, webhook.events);
  const meant: NewDelivery[] = [];
  let to = from;
  for (const { position, event } of rows) {
    to = position;
    if (!event || !(await isMeant(db, webhook, event, names))) continue;
    const { id: eventId, place: eventPlace, type, taskId } = event;
    meant.push({ eventId, eventPlace, type, taskId });
    if (meant.length === room) break;
  }
  return to !== from && enterDeliveries(db, claimed, { from, to }, meant, delayMs);
}

export async function isMeant(
  db: EntityManager,
  webhook: Subscription,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const { events, workflows, when, beginsAt } = webhook;
  if (event.happenedAt < beginsAt || !events.some((type) => type === event.type)) return false;
  const slug = event.workflowId === null ? null : names.slugOf(event.workflowId);
  if (workflows && (slug === null || !workflows.includes(slug))) return false;
  return when === null || meets(db, webhook.workspaceId, when, event, names);
}

/**
 * Whether the task of an event meets a condition. False if there is no task, or if the evaluation fails.
 * True if the condition no longer compiles, or reads a field that the workflow no longer has: surplus events
 * do less harm than missing ones.
 */
async function meets(
  db: EntityManager,
  workspaceId: number,
  condition: string,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const workflow = event.workflowId === null ? undefined : names.workflowOf(event.workflowId);
  if (!workflow) return false;
  const expression = expressionIfAny(workflow.schema, condition, 'before');
  const isKnown = (name: string): boolean => workflow.schema.byName.has(name);
  if (!expression || ![...expression.fields, ...expression.ofOther].every(isKnown)) return true;
  try {
    const task = await taskAtEvent(db, workspaceId, event, fieldIdsOf(workflow, expression));
    return task !== undefined && evaluateAtEvent(expression, { workflow, event, task }) === true;
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}
