import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { notFound } from '../errors/errors.js';
import { requireUniqueId } from '../workflows/require-unique-id.js';
import { type Workflow } from '../workflows/workspace.js';
import { assertDefinition } from './assert-definition.js';
import { findTaskId } from './find-task.js';

/** The internal key of a task. */
export interface TaskKey {
  readonly workspaceId: number;
  readonly workflowId: number;
  readonly taskId: string;
}

/** The task of this Unique ID, read under the definition in force; 404 where there is none. */
export async function findTaskKey(db: EntityManager, workflow: Workflow, uniqueId: string): Promise<TaskKey> {
  requireUniqueId(workflow);
  const taskId = await findTaskId(db, workflow, uniqueId);
  if (taskId === undefined) throw notFound();
  return { workspaceId: workflow.workspaceId, workflowId: workflow.id, taskId };
}

/** The same in a transaction, locked until that ends. */
export async function lockTaskKey(tx: EntityManager, workflow: Workflow, uniqueId: string): Promise<TaskKey> {
  requireUniqueId(workflow);
  await assertDefinition(tx, workflow);
  const { workspaceId, id } = workflow;
  const [row] = await sql<{ id: string }>(tx, lockId, [workspaceId, id, uniqueId]);
  if (!row) throw notFound();
  return { workspaceId, workflowId: id, taskId: row.id };
}

const lockId = {
  name: 'lock-task-id',
  text: `
    SELECT id FROM tasks WHERE workspace_id = $1 AND workflow_id = $2 AND unique_value = $3
    FOR NO KEY UPDATE`,
};
