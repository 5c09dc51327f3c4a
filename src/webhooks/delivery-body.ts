import { type EntityManager } from 'typeorm';
import { shownEventId } from '../common/origin.js';
import { type WebhookEntity } from '../workflows/model/entities/webhook.entity.js';
import { serializeTask } from '../workflows/fields/serialize-task.js';
import { workflowOfTask } from '../tasks/store/task-keys.js';
import { loadTask } from '../tasks/store/task.repository.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type DueDelivery } from './deliveries.repository.js';
import { Scope } from '../workflows/model/scope.js';

/** The data of a delivery for its body. */
export interface Parcel {
  readonly delivery: DueDelivery;
  readonly webhook: Pick<WebhookEntity, 'id' | 'content'>;
  /** The envelope of its event; undefined if the event is no longer kept. */
  readonly envelope: string | undefined;
}

/** The body of a delivery; undefined where its event is no longer kept. */
export async function bodyOf(
  db: EntityManager,
  workspace: Workspace,
  { delivery, webhook, envelope }: Parcel,
): Promise<string | undefined> {
  if (delivery.eventPlace === null) return testOf(workspace, webhook.id, delivery);
  if (envelope === undefined) return undefined;
  if (webhook.content === 'changes' || delivery.taskId === null) return envelope;
  return `${envelope.slice(0, -2)},"current":${await currentTask(db, workspace, delivery.taskId)}}}`;
}

/** A test event, which only describes itself. */
function testOf(workspace: Workspace, webhook: string, { eventId, type, createdAt }: DueDelivery): string {
  const data = {
    workspace: workspace.slug,
    workflow: null,
    task: null,
    actor: { kind: 'system' },
    execution: null,
    request_id: null,
    webhook: { id: webhook },
  };
  return JSON.stringify({ id: shownEventId(eventId), type, timestamp: createdAt.toISOString(), data });
}

/** The task as it is now, with its version; null if it was deleted. */
async function currentTask(db: EntityManager, workspace: Workspace, taskId: string): Promise<string> {
  const workflow = await workflowOfTask(db, workspace.id, [...workspace.workflows.values()], taskId);
  const task = workflow && (await loadTask(db, new Scope(workflow), taskId));
  if (!workflow || !task) return 'null';
  return `{"version":${task.version},"task":${serializeTask(workflow.schema, task)}}`;
}
