import { type EntityManager } from 'typeorm';
import { type Given } from '../given.js';
import { type Leased, Leases } from '../../common/database/leases.js';
import { sql } from '../../common/database/sql.js';
import { type TimerEntity } from './timer.entity.js';
import { type TaskEntity } from '../../tasks/store/task.entity.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';

export const timerJob = 'timer';

export const MAX_TIMERS = 100;

export interface WantedTimer extends Readonly<
  Pick<TimerEntity, 'actionId' | 'at' | 'performerId' | 'isCancelledByStage' | 'cause'>
> {
  readonly given: Given | null;
}

export type WaitingTimer = Readonly<Pick<TimerEntity, 'id' | 'actionId' | 'at'>>;

/** Adds a timer; undefined if the task already has the most allowed. */
export async function addTimer(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  { actionId, at, performerId, isCancelledByStage, given, cause }: WantedTimer,
): Promise<WaitingTimer | undefined> {
  const values = [
    workspaceId,
    workflowId,
    taskId,
    actionId,
    at,
    performerId,
    isCancelledByStage,
    given && JSON.stringify(given),
    cause && JSON.stringify(cause),
  ];
  const [added] = await sql<WaitingTimer>(tx, add, values);
  return added;
}

const shown = 'id, action_id AS "actionId", at';

const add = {
  name: 'add-timer',
  text: `
    INSERT INTO timers (workspace_id, workflow_id, task_id, action_id, at, performer_id, is_cancelled_by_stage, given, cause)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb WHERE (
      SELECT count(*) FROM timers WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3
    ) < ${MAX_TIMERS}
    RETURNING ${shown}`,
};

/** The timers of a task, the next one first. */
export async function timersOf(
  db: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
): Promise<WaitingTimer[]> {
  return sql<WaitingTimer>(db, list, [workspaceId, workflowId, taskId]);
}

const list = {
  name: 'list-timers',
  text: `
    SELECT ${shown} FROM timers WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 ORDER BY at, id`,
};

/** Changes a timer that has not fired, even one that a worker is about to fire; undefined if it does not exist. */
export async function replaceTimer(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  id: string,
  { actionId, at, performerId, given }: WantedTimer,
): Promise<WaitingTimer | undefined> {
  const values = [
    workspaceId,
    workflowId,
    taskId,
    id,
    actionId,
    at,
    performerId,
    given && JSON.stringify(given),
  ];
  const [replaced] = await sql<WaitingTimer>(tx, replace, values);
  return replaced;
}

const isOfTask = 'workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND id = $4';

const replace = {
  name: 'replace-timer',
  text: `
    UPDATE timers SET action_id = $5, at = $6, performer_id = $7, given = $8::jsonb, fence = fence + 1, lease_until = NULL
    WHERE ${isOfTask} RETURNING ${shown}`,
};

/** Removes a timer that has not fired; false if it does not exist. */
export async function removeTimer(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  id: string,
): Promise<boolean> {
  return (await sql(tx, remove, [workspaceId, workflowId, taskId, id])).length > 0;
}

const remove = { name: 'remove-timer', text: `DELETE FROM timers WHERE ${isOfTask} RETURNING id` };

export type TimerKey = Readonly<Pick<TimerEntity, 'workspaceId' | 'id' | 'workflowId'>>;

export type ClaimedTimer = Leased<TimerKey>;

export const timerLeases = new Leases<TimerKey>({
  table: 'timers',
  columns: [
    ['workspaceId', 'workspace_id'],
    ['id', 'id'],
    ['workflowId', 'workflow_id'],
  ],
  isDue: 'at <= (SELECT service_now())',
  dueAt: 'at',
});

export interface TakenTimer
  extends
    Readonly<Pick<TimerEntity, 'actionId' | 'at' | 'performerId' | 'taskId' | 'cause'>>,
    Readonly<Pick<TaskEntity, 'publicId' | 'uniqueValue'>> {
  readonly given: Given | null;
}

/** Undefined if another process has claimed it, or it no longer exists. */
export async function takeTimer(
  tx: EntityManager,
  { workspaceId, id, fence }: ClaimedTimer,
): Promise<TakenTimer | undefined> {
  const [taken] = await sql<TakenTimer>(tx, take, [workspaceId, id, fence]);
  return taken;
}

const take = {
  name: 'take-timer',
  text: `
    DELETE FROM timers t USING tasks k
    WHERE t.workspace_id = $1 AND t.id = $2 AND t.fence = $3
      AND k.workspace_id = t.workspace_id AND k.workflow_id = t.workflow_id AND k.id = t.task_id
    RETURNING t.action_id AS "actionId", t.at, t.performer_id AS "performerId", t.given, t.cause, t.task_id::text AS "taskId",
      k.public_id AS "publicId", k.unique_value AS "uniqueValue"`,
};
