import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { noTask } from '../../workflows/model/not-found.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { requireUniqueId, type Workflow } from '../../workflows/model/workspace.js';
import { assertVersion } from '../../workflows/model/workspaces.js';
import { named, sightFrom, sqlNamed } from './seen.js';
import { namedTask, ofWorkflow } from './task-row.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface TaskKey {
  readonly workspaceId: number;
  readonly workflowId: number;
  readonly taskId: string;
}

/** Finds the key of a task under the definition in force; throws 404 if the viewer sees no such task. */
export async function findTaskKey(db: EntityManager, scope: Scope, task: TaskName): Promise<TaskKey> {
  requireUniqueId(scope.workflow, task);
  const taskId = await findTaskId(db, scope, task);
  if (taskId === undefined) throw noTask(scope.workflow, task);
  return { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId };
}

/** Finds the internal id of the named task under the definition in force. */
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

/** Whether a task has this Unique ID, even if the viewer does not see the task. */
export async function isTaken(db: EntityManager, workflow: Workflow, uniqueId: string): Promise<boolean> {
  const { workspaceId, id } = workflow;
  return (await sql(db, findAny, [workspaceId, id, uniqueId])).length > 0;
}

const findAny = {
  name: 'find-any-task',
  text: `SELECT FROM tasks t WHERE ${ofWorkflow} AND t.unique_value = $3`,
};
