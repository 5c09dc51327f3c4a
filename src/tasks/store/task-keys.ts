import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type TaskEntity } from './task.entity.js';
import { requireEdits } from '../../workflows/model/allowed.js';
import { noTask } from '../../workflows/model/not-found.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { requireUniqueId, type Workflow } from '../../workflows/model/workspace.js';
import { assertVersion } from '../../workflows/model/workspaces.js';
import { assertDefinition } from './assert-definition.js';
import { isSeen, named, sightFrom, sqlNamed } from './seen.js';
import { namedTask, nextVersion, ofWorkflow } from './task-row.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface TaskKey {
  readonly workspaceId: number;
  readonly workflowId: number;
  readonly taskId: string;
}

/** The task of this name, read under the definition in force; 404 if the viewer sees none. */
export async function findTaskKey(db: EntityManager, scope: Scope, task: TaskName): Promise<TaskKey> {
  requireUniqueId(scope.workflow, task);
  const taskId = await findTaskId(db, scope, task);
  if (taskId === undefined) throw noTask(scope.workflow, task);
  return { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId };
}

/** The internal id of the task of this name, read under the definition in force. */
export async function findTaskId(
  db: EntityManager,
  scope: Scope,
  task: TaskName,
): Promise<string | undefined> {
  const [row] = await sqlNamed<{ definition: number; id: string | null }>(db, scope, readId, task);
  assertVersion(row?.definition ?? 0, scope.workflow.version);
  return row?.id ?? undefined;
}

const readId = named(
  'read-task-id',
  (isNamed) => `SELECT w.version AS definition, t.id ${namedTask(sightFrom(4), isNamed)} WHERE w.id = $1`,
);

/** The workflow of the task of this id, out of these; undefined if there is no such task. */
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

// Naming the workflows lets PostgreSQL use the primary key.
const readWorkflow = {
  name: 'read-workflow-of-task',
  text: `
    SELECT workflow_id AS "workflowId" FROM tasks
    WHERE workspace_id = $1 AND workflow_id = ANY($2::integer[]) AND id = $3`,
};

/** Locks the task of this name until the transaction ends; 404 if the viewer sees none, 403 if they may not edit it. */
export async function lockTaskToEdit(tx: EntityManager, scope: Scope, task: TaskName): Promise<LockedTask> {
  requireUniqueId(scope.workflow, task);
  await assertDefinition(tx, scope.workflow);
  const {
    workflow: { id },
    workspaceId,
  } = scope;
  const [row] = await sqlNamed<LockedId>(tx, scope, lockId, task);
  if (!row) throw noTask(scope.workflow, task);
  requireEdits(scope, row);
  return { workspaceId, workflowId: id, taskId: row.id, assigneeId: row.assigneeId };
}

type LockedTask = TaskKey & Readonly<Pick<TaskEntity, 'assigneeId'>>;

type LockedId = Readonly<Pick<TaskEntity, 'id' | 'assigneeId'>>;

const lockId = named(
  'lock-task-id',
  (isNamed) => `
    SELECT t.id, t.assignee_id AS "assigneeId" FROM tasks t
    WHERE ${ofWorkflow} AND ${isNamed} AND ${isSeen('t', sightFrom(4))} FOR NO KEY UPDATE`,
);

/** Whether a task has this Unique ID, even one that the viewer does not see. */
export async function isTaken(db: EntityManager, workflow: Workflow, uniqueId: string): Promise<boolean> {
  const { workspaceId, id } = workflow;
  return (await sql(db, findAny, [workspaceId, id, uniqueId])).length > 0;
}

const findAny = {
  name: 'find-any-task',
  text: `SELECT FROM tasks t WHERE ${ofWorkflow} AND t.unique_value = $3`,
};

/** Gives a locked task a new version for a change outside of its row. */
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
