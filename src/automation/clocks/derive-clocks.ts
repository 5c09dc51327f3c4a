import { type DataSource, type EntityManager } from 'typeorm';
import { type ClockEvent, type ClockRow } from './clock.js';
import { armedBy, foldDefinition, foldEvents } from './fold-clock.js';
import { isPassing } from '../../common/database-error.js';
import { doEach } from '../../common/each.js';
import { sql } from '../../common/database/sql.js';
import { type ClockChangeEntity } from './clock-change.entity.js';
import { findTaskOfId } from '../../tasks/store/task.repository.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { type Workspaces } from '../../workflows/model/workspaces.js';
import { clocksIn, type TaskClock, formerClock } from './compiled-clocks.js';
import {
  lockClocks,
  noteDue,
  removeClocks,
  noteFailedClocks,
  type StoredClock,
  writeClocks,
} from './clocks.repository.js';
import { storedClock } from './fold-task.js';

/** A change of clocks by an apply, and the last task whose clocks have been recalculated. */
type ClockChange = Readonly<
  Pick<
    ClockChangeEntity,
    'workspaceId' | 'workflowId' | 'version' | 'afterTaskId' | 'firesOverdue' | 'changedAt'
  >
>;

const BATCH = 200;

/** Recalculates, in batches, the clocks that an apply has changed, and creates new ones for existing tasks. */
export async function deriveClocks(
  dataSource: DataSource,
  workspaces: Workspaces,
  isStopped: () => boolean,
): Promise<void> {
  await doEach(await sql<ClockChange>(dataSource.manager, changes, []), async (change) => {
    const workspace = await workspaces.inForce(change.workspaceId);
    for (let isMore = true; isMore && !isStopped();)
      isMore = await dataSource.transaction((tx) => deriveSome(tx, workspace, change));
  });
}

/** Recalculates a task's clocks before their turn if an apply has changed them. Events are processed after that. */
export async function deriveInAdvance(tx: EntityManager, workflow: Workflow, taskId: string): Promise<void> {
  const values = [workflow.workspaceId, workflow.id, taskId];
  const [change] = await sql<ClockChange>(tx, pending, values);
  const [task] = change ? await sql<NextTask>(tx, nextOne, values) : [];
  if (change && task) await deriveTask(tx, workflow, change, task);
}

/** Starts the recalculation of these workflows' clocks, for a version that is already recorded. */
export async function changeClocks(
  tx: EntityManager,
  workspaceId: number,
  workflowIds: readonly number[],
  version: number,
  firesOverdue: boolean,
): Promise<void> {
  if (workflowIds.length > 0) await sql(tx, begin, [workspaceId, workflowIds, version, firesOverdue]);
}

const begin = {
  name: 'change-clocks',
  text: `
    INSERT INTO clock_changes (workspace_id, workflow_id, version, fires_overdue, changed_at)
    SELECT $1, id, $3, $4, v.applied_at FROM unnest($2::integer[]) id, definition_versions v
    WHERE v.workspace_id = $1 AND v.version = $3
    ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET version = excluded.version, after_task_id = 0,
      fires_overdue = excluded.fires_overdue, changed_at = excluded.changed_at`,
};

const columns = `
  workspace_id AS "workspaceId", workflow_id AS "workflowId", version, after_task_id AS "afterTaskId",
  fires_overdue AS "firesOverdue", changed_at AS "changedAt"`;

const changes = {
  name: 'clock-changes',
  scope: 'all workspaces' as const,
  text: `SELECT ${columns} FROM clock_changes`,
};

const pending = {
  name: 'pending-clock-change',
  text: `SELECT ${columns} FROM clock_changes WHERE workspace_id = $1 AND workflow_id = $2 AND after_task_id < $3::bigint`,
};

const lockChange = {
  name: 'lock-clock-change',
  text: `SELECT ${columns} FROM clock_changes WHERE workspace_id = $1 AND workflow_id = $2 FOR UPDATE SKIP LOCKED`,
};

/** Recalculates the clocks of the next tasks; false if none are left, or another process does it. */
async function deriveSome(
  tx: EntityManager,
  workspace: Workspace,
  { workspaceId, workflowId }: ClockChange,
): Promise<boolean> {
  const [change] = await sql<ClockChange>(tx, lockChange, [workspaceId, workflowId]);
  const workflow = findWorkflow(workspace, workflowId);
  // A change that was recorded after the workspace was read is left to the next sweep, which reads it anew.
  if (!change || !workflow || change.version > workflow.version) return false;
  const tasks = await lockNextTasks(tx, workflow, change.afterTaskId, BATCH);
  for (const task of tasks)
    // A clock that cannot be recalculated must not stop the recalculation of other tasks.
    await tx
      .transaction((inner) => deriveTask(inner, workflow, change, task))
      .catch(async (error: unknown) => {
        if (isPassing(error)) throw error;
        await noteFailedClocks(tx, { workspaceId, workflowId, taskId: task.id }, error);
      });
  const last = tasks.at(-1);
  if (!last) {
    await sql(tx, forget, [workspaceId, workflowId]);
    return false;
  }
  await noteDue(
    tx,
    workspaceId,
    workflowId,
    tasks.map(({ id }) => id),
  );
  await sql(tx, goOn, [workspaceId, workflowId, last.id]);
  return true;
}

async function lockNextTasks(
  tx: EntityManager,
  { workspaceId, id }: Workflow,
  after: string,
  limit: number,
): Promise<NextTask[]> {
  return sql<NextTask>(tx, next, [workspaceId, id, after, limit]);
}

interface NextTask {
  readonly id: string;
  readonly stageAt: Date;
  readonly stageVersion: number;
  readonly lastEvent: string;
}

/** SQL: the columns of `SinceStage` for a table `t`. */
export const sinceStage = `COALESCE(t.stage_at, t.created_at) AS "stageAt",
  (t.version_offset + COALESCE(t.stage_version, 1))::float8 AS "stageVersion"`;

// The task's last event at that time: the follower continues after it.
const taskColumns = `
    t.id, ${sinceStage},
      COALESCE((
        SELECT e.place FROM events e WHERE e.workspace_id = $1 AND e.task_id = t.id ORDER BY e.place DESC LIMIT 1
      ), 0)::text AS "lastEvent"`;

const next = {
  name: 'next-tasks-of-clocks',
  text: `
    SELECT ${taskColumns} FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id > $3::bigint
    ORDER BY t.id LIMIT $4 FOR NO KEY UPDATE`,
};

const nextOne = {
  name: 'next-task-of-clocks',
  text: `SELECT ${taskColumns} FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $3::bigint`,
};

const goOn = {
  name: 'derive-clocks-on',
  text: 'UPDATE clock_changes SET after_task_id = $3 WHERE workspace_id = $1 AND workflow_id = $2',
};
const forget = {
  name: 'forget-clock-change',
  text: 'DELETE FROM clock_changes WHERE workspace_id = $1 AND workflow_id = $2',
};

async function deriveTask(
  tx: EntityManager,
  workflow: Workflow,
  change: ClockChange,
  { id, ...since }: NextTask,
): Promise<void> {
  const key = { workspaceId: workflow.workspaceId, workflowId: workflow.id, taskId: id };
  const clocks = clocksIn(workflow);
  const known = await lockClocks(tx, key);
  const gone = known.filter(({ clockId }) => !clocks.some(({ clock }) => clock.id === clockId));
  if (gone.length > 0)
    await removeClocks(
      tx,
      key,
      clocks.map(({ clock }) => clock.id),
    );
  if (clocks.length === 0) return;
  const task = await findTaskOfId(tx, key, [...new Set(clocks.flatMap(({ fieldIds }) => fieldIds))]);
  if (!task) return;
  for (const taskClock of clocks) {
    const stored = known.find(({ clockId }) => clockId === taskClock.clock.id);
    const made = stored
      ? await derived(tx, workflow, change, taskClock, stored, task)
      : armed(workflow, change, taskClock, task, since);
    const place = stored?.eventPlace ?? since.lastEvent;
    if (made) await writeClocks(tx, key, [storedClock(taskClock, made, workflow.version, place)]);
  }
}

/** Keeps the time used so far; a new calendar applies from the change on. */
async function derived(
  tx: EntityManager,
  workflow: Workflow,
  { changedAt, firesOverdue }: ClockChange,
  taskClock: TaskClock,
  { row, clockId }: StoredClock,
  task: TaskRow,
): Promise<ClockRow | undefined> {
  if (row.definition >= workflow.version) return undefined;
  const former = (await formerClock(tx, workflow, row.definition, clockId)) ?? taskClock;
  return foldDefinition(former.clock, taskClock.clock, row, {
    at: changedAt.getTime(),
    budgetValue: taskClock.budgetValue(task),
    moment: taskClock.moment(task),
    fires: firesOverdue,
  });
}

/** As if it had always existed. If the task entered its stage later, the follower begins the clock. */
function armed(
  workflow: Workflow,
  { changedAt, firesOverdue }: ClockChange,
  taskClock: TaskClock,
  task: TaskRow,
  since: SinceStage,
): ClockRow | undefined {
  if (since.stageAt > changedAt) return undefined;
  const event = arrivalOf(workflow, taskClock, task, since);
  return armedBy(taskClock.clock, event, changedAt.getTime(), firesOverdue ? 'last' : 'none') ?? undefined;
}

/** When a task entered its stage, and its version then. */
export type SinceStage = Pick<NextTask, 'stageAt' | 'stageVersion'>;

/** The row of a clock as if it had existed since the task entered its stage; undefined if it would not have begun. */
export function newRow(
  workflow: Pick<Workflow, 'schema'>,
  taskClock: TaskClock,
  task: TaskRow,
  since: SinceStage,
): ClockRow | undefined {
  return foldEvents(taskClock.clock, null, [arrivalOf(workflow, taskClock, task, since)]).at(-1);
}

function arrivalOf(
  { schema }: Pick<Workflow, 'schema'>,
  { budgetValue, moment }: TaskClock,
  task: TaskRow,
  { stageAt, stageVersion }: SinceStage,
): ClockEvent {
  return {
    at: stageAt.getTime(),
    version: stageVersion,
    stage: { from: null, to: schema.stages.get(task.stageId).name },
    budgetValue: budgetValue(task),
    moment: moment(task),
  };
}
