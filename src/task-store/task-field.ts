import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workspace/workspace.js';
import { assertDefinition } from './assert-definition.js';
import { plainColumns, type ReadRow, type TaskRow, tasksOf } from './task-row.js';
import { taskOfUniqueId } from './task.repository.js';

/** The task of this Unique ID, read under the definition in force, with no more of its values than that of one field. */
export async function findTaskField(
  db: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  fieldId: string,
): Promise<TaskRow | undefined> {
  const { workspaceId, id } = workflow;
  const [task] = tasksOf(workflow, await sql<ReadRow>(db, read, [workspaceId, id, uniqueId, fieldId]));
  return task;
}

/** The same, locked until the transaction ends; no newer definition can come into force meanwhile. */
export async function lockTaskField(
  tx: EntityManager,
  workflow: Workflow,
  uniqueId: string,
  fieldId: string,
): Promise<TaskRow | undefined> {
  const { workspaceId, id } = workflow;
  await assertDefinition(tx, workflow);
  const [task] = await sql<TaskRow>(tx, lock, [workspaceId, id, uniqueId, fieldId]);
  return task;
}

const columns = `${plainColumns},
  CASE WHEN t.field_values ? $4 THEN jsonb_build_object($4::text, t.field_values -> $4) ELSE '{}' END AS "fieldValues"`;

const read = {
  name: 'read-task-field',
  text: `SELECT w.version AS definition, ${columns} ${taskOfUniqueId} WHERE w.id = $1`,
};

const lock = {
  name: 'lock-task-field',
  text: `
    SELECT ${columns} FROM tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.unique_value = $3
    FOR UPDATE`,
};
