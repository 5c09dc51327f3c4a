import { type EntityManager } from 'typeorm';
import { shownEventId } from '../database/origin.js';
import { type WebhookEntity } from '../entities/webhook.entity.js';
import { serializeTask } from '../schema/serialize-task.js';
import { hasValues } from '../task-store/task-row.js';
import { loadTasks } from '../task-store/task.repository.js';
import { type Workspace } from '../workspace/workspace.js';
import { type DueDelivery } from './deliveries.repository.js';

/** What is sent, and how. */
export interface Message {
  readonly delivery: DueDelivery;
  readonly webhook: Pick<WebhookEntity, 'id' | 'content'>;
  /** Of its event; undefined where that is no longer kept. */
  readonly envelope: string | undefined;
}

/** The body of a delivery; undefined where its event is no longer kept. */
export async function bodyOf(
  db: EntityManager,
  workspace: Workspace,
  { delivery, webhook, envelope }: Message,
): Promise<string | undefined> {
  if (delivery.eventPlace === null) return testOf(workspace, webhook.id, delivery);
  if (envelope === undefined || webhook.content === 'changes' || delivery.taskId === null) return envelope;
  const current = await currentTask(db, workspace, delivery.taskId);
  return `${envelope.slice(0, -2)},"current":${current}}}`;
}

/** An event that tells of nothing but itself. */
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

/** The task as it is now, with its version; null where it was deleted. */
async function currentTask(db: EntityManager, workspace: Workspace, taskId: string): Promise<string> {
  const [found] = await db.query<{ workflow_id: number }[]>(
    'SELECT workflow_id FROM tasks WHERE workspace_id = $1 AND id = $2',
    [workspace.id, taskId],
  );
  const workflow = [...workspace.workflows.values()].find(({ id }) => id === found?.workflow_id);
  if (!workflow) return 'null';
  const shown = { showsInstants: false, showsLinks: workflow.schema.links.size > 0 };
  const [task] = await loadTasks(db, workflow, [taskId], shown);
  if (!task || !hasValues(task)) return 'null';
  return `{"version":${task.version},"task":${serializeTask(workflow.schema, task)}}`;
}
