import { type EntityManager } from 'typeorm';
import { type Leased, Leases } from '../../common/database/leases.js';
import { sql } from '../../common/database/sql.js';
import { randomText } from '../../common/random-id.js';
import { TimerEntity } from './timer.entity.js';
import { type TaskEntity } from '../../tasks/store/task.entity.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { plural } from '../../common/wording.js';
import { goneActions, ofAction, renamedActions } from '../changed-actions.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { type Impact } from '../../workflows/model/impact.js';

export const timerJob = 'timer';

export const MAX_TIMERS = 100;

type WantedTimer = Readonly<Pick<TimerEntity, 'actionId' | 'at' | 'isCancelledByStage' | 'given' | 'cause'>>;

/** Adds a timer to a locked task; returns false if the task already has `MAX_TIMERS`. */
export async function addTimer(tx: EntityManager, task: TaskKey, wanted: WantedTimer): Promise<boolean> {
  if ((await tx.countBy(TimerEntity, task)) >= MAX_TIMERS) return false;
  await tx.insert(TimerEntity, { ...task, ...wanted, id: randomText(12) });
  return true;
}

export type TimerKey = Readonly<Pick<TimerEntity, 'workspaceId' | 'id' | 'workflowId'>>;

export type ClaimedTimer = Leased<TimerKey>;

export const timerLeases = new Leases<TimerKey>({
  table: 'timers',
  key: ['workspaceId', 'id', 'workflowId'],
  isDue: 'at <= (SELECT service_now())',
  dueAt: 'at',
});

interface TakenTimer
  extends
    Readonly<Pick<TimerEntity, 'actionId' | 'at' | 'taskId' | 'given' | 'cause'>>,
    Readonly<Pick<TaskEntity, 'publicId' | 'uniqueValue'>> {}

/** Deletes and returns a timer; undefined if it no longer exists or another process has claimed it. */
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
    RETURNING t.action_id AS "actionId", t.at, t.given, t.cause, t.task_id::text AS "taskId",
      k.public_id AS "publicId", k.unique_value AS "uniqueValue"`,
};

export const timersImpact: Impact = {
  async effects(db, changed) {
    const effects: Effect[] = [];
    for (const { its, name } of goneActions(changed)) {
      const count = await db.countBy(TimerEntity, its);
      const message = `${plural(count, 'timer')} will start nothing. If another action replaces ${its.actionId}, write was: ${its.actionId} in that action`;
      effects.push(...effectOf('loses', 'action', name, count, message));
    }
    return effects;
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) await sql(tx, rename, renamed);
  },
};

const rename = { text: `UPDATE timers SET action_id = $3 WHERE ${ofAction('$4')}` };
