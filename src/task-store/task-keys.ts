import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { noTask } from '../workspace/not-found.js';
import { requireUniqueId, type Workflow } from '../workspace/workspace.js';
import { assertVersion } from '../workspace/workspaces.js';
import { assertDefinition } from './assert-definition.js';
import { nextVersion, ofWorkflow, taskOfUniqueId } from './task-row.js';

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
  if (taskId === undefined) throw noTask(workflow, uniqueId);
  return { workspaceId: workflow.workspaceId, workflowId: workflow.id, taskId };
}

/** The internal id of the task of this Unique ID, read under the definition in force. */
async function findTaskId(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
): Promise<string | undefined> {
  const { workspaceId, id } = workflow;
  const [row] = await sql<{ definition: number; id: string | null }>(db, readId, [workspaceId, id, uniqueId]);
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.id ?? undefined;
}

const readId = {
  name: 'read-task-id',
  text: `SELECT w.version AS definition, t.id ${taskOfUniqueId} WHERE w.id = $1`,
};

/** The workflow of the task of this id, among these; undefined where there is no such task. */
export async function workflowOfTask(
  db: EntityManager,
  workspaceId: number,
  workflows: readonly Workflow[],
  taskId: string,
): Promise<Workflow | undefined> {
  const ids = workflows.map(({ id }) => id);
  const [row] = await sql<{ workflowId: number }>(db, readWorkflow, [workspaceId, ids, taskId]);
  return workflows.find(({ id }) => id === row?.workflowId);
}

// Only with the workflows does the primary key lead to the task at once.
const readWorkflow = {
  name: 'read-workflow-of-task',
  text: `
    SELECT workflow_id AS "workflowId" FROM tasks
    WHERE workspace_id = $1 AND workflow_id = ANY($2::integer[]) AND id = $3`,
};

/** Locks the task of this Unique ID until the transaction ends; 404 where there is none. */
export async function lockTaskKey(tx: EntityManager, workflow: Workflow, uniqueId: string): Promise<TaskKey> {
  requireUniqueId(workflow);
  await assertDefinition(tx, workflow);
  const { workspaceId, id } = workflow;
  const [row] = await sql<{ id: string }>(tx, lockId, [workspaceId, id, uniqueId]);
  if (!row) throw noTask(workflow, uniqueId);
  return { workspaceId, workflowId: id, taskId: row.id };
}

const lockId = {
  name: 'lock-task-id',
  text: `
    SELECT t.id FROM tasks t WHERE ${ofWorkflow} AND t.unique_value = $3 FOR NO KEY UPDATE`,
};

/** Counts a version of a task that is locked, for a change that is not in its row. */
export async function touchTask(tx: EntityManager, workflow: Workflow, taskId: string): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, touch, [workspaceId, id, version, taskId]);
}

const touch = {
  name: 'touch-task',
  text: `
    UPDATE tasks t SET ${nextVersion}
    WHERE ${ofWorkflow} AND t.id = $4 AND assert_definition($1, $2, $3)`,
};
