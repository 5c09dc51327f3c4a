import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { assertVersion } from '../workflows/stale-definition.js';
import { type Workflow } from '../workflows/workspace.js';
import { assertDefinition } from './assert-definition.js';
import { type ReadRow, taskColumns, type TaskRow, tasksOf } from './task-row.js';

/** The task of this Unique ID, read under the definition in force. */
export async function findTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
): Promise<TaskRow | undefined> {
  const { workspaceId, id, schema } = workflow;
  const statement = schema.links.size > 0 ? readLinkedTask : readTask;
  const [task] = tasksOf(workflow, await sql<ReadRow>(db, statement, [workspaceId, id, uniqueId]));
  return task;
}

/** The internal id of the task of this Unique ID, read under the definition in force. */
export async function findTaskId(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
): Promise<string | undefined> {
  const { workspaceId, id } = workflow;
  const [row] = await sql<{ definition: number; id: string | null }>(db, readId, [workspaceId, id, uniqueId]);
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.id ?? undefined;
}

/** The task, locked until the transaction ends; no newer definition can come into force meanwhile. */
export async function lockTask(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
): Promise<TaskRow | undefined> {
  const { workspaceId, id } = workflow;
  await assertDefinition(db, workflow);
  const [row] = await sql<TaskRow>(db, lockRow, [workspaceId, id, uniqueId]);
  return row;
}

const taskOfUniqueId = `
  FROM workspaces w
  LEFT JOIN tasks t ON t.workspace_id = w.id AND t.workflow_id = $2 AND t.unique_value = $3`;

const readId = {
  name: 'read-task-id',
  text: `SELECT w.version AS definition, t.id ${taskOfUniqueId} WHERE w.id = $1`,
};

export const readTask = {
  name: 'read-task',
  text: `
    SELECT w.version AS definition, ${taskColumns}
    ${taskOfUniqueId}
    WHERE w.id = $1`,
};

const readLinkedTask = {
  name: 'read-linked-task',
  text: `
    SELECT w.version AS definition, ${taskColumns}, l.linked
    ${taskOfUniqueId}
    LEFT JOIN LATERAL linked_tasks(w.id, ARRAY[t.id]) l ON t.id IS NOT NULL
    WHERE w.id = $1`,
};

const lockRow = {
  name: 'lock-task',
  text: `
    SELECT ${taskColumns} FROM tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $3
    FOR UPDATE`,
};
