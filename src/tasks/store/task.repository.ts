import { type EntityManager } from 'typeorm';
import { sharedBy } from '../../common/database/shared-data-source.js';
import { boundTo, sql, type Statement, statementOf } from '../../common/database/sql.js';
import { MAX_CALLS, Together } from '../../common/database/together.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { requireEdits } from '../../workflows/model/allowed.js';
import { noTask } from '../../workflows/model/not-found.js';
import { requireUniqueId, type Workflow } from '../../workflows/model/workspace.js';
import { assertDefinition } from './assert-definition.js';
import { findTaskId, type TaskKey } from './task-keys.js';
import {
  hasLinks,
  hasValues,
  isInState,
  ofWorkflow,
  plainColumns,
  type Precondition,
  type ReadRow,
  selectListed,
  selectPage,
  type ShownShape,
  taskColumns,
  namedTask,
  type TaskRow,
  tasksOf,
  type PartlyRead,
} from './task-row.js';
import {
  bindSight,
  isSeen,
  named,
  seenLinkedTasks,
  sightFrom,
  type SightTexts,
  sqlNamed,
  sqlSeen,
  wholeSight,
} from './seen.js';
import { Bindings } from './where.sql.js';
import { type Scope } from '../../workflows/model/scope.js';

/** Finds the task with this Unique ID under the definition in force. */
export async function findTask(
  db: EntityManager,
  scope: Scope,
  uniqueId: string,
): Promise<TaskRow | undefined> {
  const alone = (): Promise<ReadRow[]> =>
    readOne(db, scope, uniqueId, hasLinks(scope.workflow) ? readLinkedTask : readTask);
  // A read in a transaction needs the connection of the transaction, so it cannot share a statement. Neither
  // can the read of a limited viewer, whose rights are parameters of the statement.
  const isAlone = db.queryRunner !== undefined || scope.bound !== undefined;
  const rows = isAlone
    ? await alone()
    : await readersOf(db, scope.workflow).ask(() => ({ uniqueId, scope }), alone);
  return tasksOf(scope.workflow, rows)[0];
}

/** Combines simultaneous reads of a workflow's tasks by Unique ID. */
function readersOf(db: EntityManager, workflow: Workflow): Together<WantedTask, ReadRow[]> {
  const { manager } = sharedBy(db);
  const name = `read ${workflow.workspaceId}/${workflow.id}/${String(hasLinks(workflow))}`;
  return sharedBy(db).line(name, () => {
    // If the shared statement fails, each read runs a statement of its own.
    const askFor = (wanted: readonly WantedTask[]): ReturnType<typeof readTogether> =>
      readTogether(manager, wanted).catch(() => []);
    return new Together({ askFor });
  });
}

interface WantedTask {
  readonly uniqueId: string;
  readonly scope: Scope;
}

/** Returns the rows for each read; undefined if the statement has left out a part of the task. */
async function readTogether(
  db: EntityManager,
  wanted: readonly WantedTask[],
): Promise<(ReadRow[] | undefined)[]> {
  const scope = wanted.at(-1)?.scope;
  if (!scope) return [];
  const { workspaceId, deadline, workflow } = scope;
  const names = [...new Set(wanted.map(({ uniqueId }) => uniqueId))];
  // The last request usually has the latest deadline.
  const bound = boundTo(db, { workspaceId, deadline });
  const statement = hasLinks(workflow) ? readLinkedTasks : readTasks;
  const rows = await sql<ReadRow<PartlyRead<TaskRow>>>(bound, statement, [workspaceId, workflow.id, names]);
  const none: ReadRow[] = [{ definition: rows[0]?.definition ?? 0, id: null }];
  const found = new Map<string | null, ReadRow[] | undefined>();
  for (const row of rows)
    if (row.id !== null)
      found.set(row.uniqueValue, hasValues(row) && row.linked !== null ? [row] : undefined);
  return wanted.map(({ uniqueId }) => (found.has(uniqueId) ? found.get(uniqueId) : none));
}

/** Finds the named task under the definition in force. */
export async function findNamedTask(
  db: EntityManager,
  scope: Scope,
  name: TaskName,
): Promise<TaskRow | undefined> {
  if (typeof name === 'string') return findTask(db, scope, name);
  const id = await findTaskId(db, scope, name);
  return id === undefined ? undefined : loadTask(db, scope, id);
}

/** Finds the named task; throws 404 if the viewer sees no such task. */
export async function taskNamed(db: EntityManager, scope: Scope, name: TaskName): Promise<TaskRow> {
  requireUniqueId(scope.workflow, name);
  const task = await findNamedTask(db, scope, name);
  if (!task) throw noTask(scope.workflow, name);
  return task;
}

function readOne(
  db: EntityManager,
  scope: Scope,
  uniqueId: string,
  statement: Statement,
): Promise<ReadRow[]> {
  const { workflow, workspaceId } = scope;
  return sqlSeen<ReadRow>(db, scope, statement, [workspaceId, workflow.id, uniqueId]);
}

/** Locks and reads the task. Until the transaction ends, no newer definition can take effect. */
export async function lockTask(
  db: EntityManager,
  scope: Scope,
  task: TaskName,
): Promise<TaskRow | undefined> {
  await assertDefinition(db, scope.workflow);
  const [row] = await sqlNamed<TaskRow>(db, scope, lockRow, task);
  return row;
}

/** Like `lockTask`, but throws 404 if the viewer sees no such task, and 403 if the viewer may not edit it. */
export async function lockTaskToEdit(db: EntityManager, scope: Scope, name: TaskName): Promise<LockedTask> {
  requireUniqueId(scope.workflow, name);
  const task = await lockTask(db, scope, name);
  if (!task) throw noTask(scope.workflow, name);
  requireEdits(scope, task);
  const { id: taskId, assigneeId } = task;
  return { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId, assigneeId };
}

type LockedTask = TaskKey & Pick<TaskRow, 'assigneeId'>;

export const readTask = {
  name: 'read-task',
  text: `
    SELECT w.version AS definition, ${taskColumns}
    ${namedTask(sightFrom(4))}
    WHERE w.id = $1`,
};

const readLinkedTask = {
  name: 'read-linked-task',
  text: `
    SELECT w.version AS definition, ${taskColumns}, l.linked
    ${namedTask(sightFrom(4))}
    LEFT JOIN LATERAL ${seenLinkedTasks('w.id', 'ARRAY[t.id]', sightFrom(4))} l ON t.id IS NOT NULL
    WHERE w.id = $1`,
};

const lockRow = named(
  'lock-task',
  (isNamed) => `
    SELECT ${taskColumns} FROM tasks t
    WHERE ${ofWorkflow} AND ${isNamed} AND ${isSeen('t', sightFrom(4))} FOR NO KEY UPDATE`,
);

const rowsOfNames = `
  SELECT t.* FROM unnest($3::text[]) given (name)
  JOIN tasks t ON ${ofWorkflow} AND t.unique_value = given.name`;
const readingTogether = (showsLinks: boolean): string =>
  selectPage(rowsOfNames, MAX_CALLS, { showsLinks, showsVersion: true }, wholeSight);
const readTasks = { name: 'read-named-tasks', text: readingTogether(false) };
const readLinkedTasks = { name: 'read-named-tasks-with-links', text: readingTogether(true) };

/** Reads tasks in the order of their ids, without links and with the values of these fields only. */
export async function findTasksOfIds(
  db: EntityManager,
  { workspaceId, workflowId }: Omit<TaskKey, 'taskId'>,
  taskIds: readonly string[],
  fieldIds: readonly string[],
): Promise<TaskRow[]> {
  return sql<TaskRow>(db, readOfIds, [workspaceId, workflowId, taskIds, fieldIds]);
}

const readOfIds = {
  name: 'read-tasks-of-ids',
  text: `
    SELECT ${plainColumns}, t.due_at AS "dueAt", (
      SELECT COALESCE(json_object_agg(id, t.field_values -> id), '{}')
      FROM unnest($4::text[]) id WHERE t.field_values ? id
    ) AS "fieldValues"
    FROM tasks t WHERE ${ofWorkflow} AND t.id = ANY($3::bigint[])
    ORDER BY t.id`,
};

/** Finds the task with this id, with its linked tasks, under the definition in force. */
export async function loadTask(
  db: EntityManager,
  scope: Scope,
  taskId: string,
): Promise<TaskRow | undefined> {
  const [task] = await loadTasks(db, scope, [taskId], { showsLinks: hasLinks(scope.workflow) });
  return task && hasValues(task) ? task : undefined;
}

/** Reads the tasks that the viewer sees, in the order of `ids`. Leaves out all values after about 2 MB. */
export async function loadTasks(
  db: EntityManager,
  scope: Scope,
  ids: readonly string[],
  shown: ShownShape,
): Promise<PartlyRead<TaskRow>[]> {
  const bindings = new Bindings(scope.workspaceId, scope.workflow.id, ids);
  const sight = bindSight(scope, bindings);
  const text = selectListed(rows(sight), shown, sight);
  return tasksOf(
    scope.workflow,
    await sql<ReadRow<PartlyRead<TaskRow>>>(db, statementOf(text), bindings.values),
  );
}

const rows = (sight: SightTexts): string => `
  SELECT t.* FROM unnest($3::bigint[]) WITH ORDINALITY given (id, place)
  JOIN tasks t ON ${ofWorkflow} AND t.id = given.id AND ${isSeen('t', sight)}
  ORDER BY given.place`;

/**
 * Deletes the task with this Unique ID permanently, in one statement. If the task does not exist or is in
 * none of the given states, deletes nothing and returns false. Does the same if the task has links, is in a
 * locked stage, or is changed by another transaction meanwhile.
 */
export async function deleteUnlinkedTask(
  db: EntityManager,
  scope: Scope,
  uniqueId: string,
  { states }: Precondition,
): Promise<boolean> {
  const {
    workflow: { id, version, schema },
    workspaceId,
    origin,
  } = scope;
  const locked = [...schema.locks.own.keys()];
  const values = [workspaceId, id, version, uniqueId, states, origin?.text, locked];
  return (await sql(db, deleteUnlinked, values)).length > 0;
}

/** Deletes a task. The transaction must already have locked the task's row and deleted the task's links. */
export async function deleteLockedTask(
  tx: EntityManager,
  { workspaceId, id, version }: Workflow,
  taskId: string,
): Promise<void> {
  await sql(tx, deleteLocked, [workspaceId, id, version, taskId]);
}

const releasing = `
  released AS (
    UPDATE blobs b SET workflow_id = NULL, task_id = NULL, unnamed_at = now()
    FROM deleted WHERE b.workspace_id = $1 AND b.workflow_id = $2 AND b.task_id = deleted.id
  )
  SELECT id FROM deleted`;

// The snapshot may lack a new link. Every new link changes the task's version, so the comparison of versions
// prevents the deletion.
const deleteUnlinked = {
  name: 'delete-unlinked-task',
  text: `
    WITH deleted AS (
      DELETE FROM tasks t USING tasks seen
      WHERE ${ofWorkflow} AND t.unique_value = $4
        AND ($5::text[] IS NULL OR ${isInState('$5')}) AND t.stage_id <> ALL ($7::integer[])
        AND seen.workspace_id = $1 AND seen.workflow_id = $2 AND seen.id = t.id AND seen.version = t.version
        AND NOT EXISTS (SELECT FROM links l WHERE l.workspace_id = $1 AND l.from_id = seen.id)
        AND NOT EXISTS (SELECT FROM links l WHERE l.workspace_id = $1 AND l.to_id = seen.id)
        AND assert_definition($1, $2, $3, $6)
      RETURNING t.id
    ), ${releasing}`,
};

const deleteLocked = {
  name: 'delete-locked-task',
  text: `
    WITH deleted AS (
      DELETE FROM tasks t WHERE ${ofWorkflow} AND t.id = $4
        AND assert_definition($1, $2, $3)
      RETURNING t.id
    ), ${releasing}`,
};
