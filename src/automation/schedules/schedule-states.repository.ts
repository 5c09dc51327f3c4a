import { type EntityManager } from 'typeorm';
import { nextFirings, type Timetable } from '../../workflows/time/firings.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { type Leased, Leases } from '../../common/database/leases.js';
import { sql } from '../../common/database/sql.js';
import { ScheduleStateEntity } from './schedule-state.entity.js';

export const scheduleJob = 'schedule';

export type ScheduleKey = Readonly<Pick<ScheduleStateEntity, 'workspaceId' | 'workflowId' | 'scheduleId'>>;

/** A schedule that this process has claimed. */
export type ClaimedSchedule = Leased<ScheduleKey>;

export const scheduleLeases = new Leases<ScheduleKey>({
  table: 'schedule_states',
  key: ['workspaceId', 'workflowId', 'scheduleId'],
  isDue: 'next_at <= (SELECT service_now())',
  dueAt: 'next_at',
});

export interface WantedSchedule {
  readonly workflowId: number;
  readonly scheduleId: string;
  readonly timetable: Timetable;
  /** All settings that determine the firings, as JSON. */
  readonly text: string;
}

/** Stores these schedules of a workspace; deletes the others. A changed timetable applies from now on. */
export async function setSchedules(
  tx: EntityManager,
  workspaceId: number,
  wanted: readonly WantedSchedule[],
): Promise<void> {
  const now = serviceTime(tx);
  const next = wanted.map(({ timetable }) => nextFirings(timetable, now.getTime(), 1)[0]);
  await sql(tx, set, [
    workspaceId,
    wanted.map(({ workflowId }) => workflowId),
    wanted.map(({ scheduleId }) => scheduleId),
    wanted.map(({ text }) => text),
    next.map((firing) => firing && new Date(firing.instant)),
    now,
  ]);
}

const set = {
  name: 'set-schedules',
  text: `
    WITH wanted AS (
      SELECT * FROM unnest($2::integer[], $3::text[], $4::text[], $5::timestamptz[])
        AS w (workflow_id, schedule_id, timetable, next_at)
    ), gone AS (
      DELETE FROM schedule_states WHERE workspace_id = $1
        AND (workflow_id, schedule_id) NOT IN (SELECT workflow_id, schedule_id FROM wanted)
    )
    INSERT INTO schedule_states AS s (workspace_id, workflow_id, schedule_id, timetable, next_at, counted_from)
    SELECT $1, workflow_id, schedule_id, timetable, next_at, $6 FROM wanted
    ON CONFLICT (workspace_id, workflow_id, schedule_id) DO UPDATE
      SET timetable = EXCLUDED.timetable, counted_from = EXCLUDED.counted_from, fence = s.fence + 1, lease_until = NULL,
        next_at = CASE WHEN s.firing IS NULL THEN LEAST(EXCLUDED.next_at, s.asked_at) ELSE s.next_at END
      WHERE s.timetable <> EXCLUDED.timetable`,
};

export type ScheduleState = Readonly<
  Pick<ScheduleStateEntity, 'countedFrom' | 'isPaused' | 'askedAt' | 'firing' | 'afterTaskId'>
> & { readonly now: Date };

/** Locks the state of a claimed schedule. Returns undefined if the claim is lost or the schedule removed. */
export async function lockScheduleState(
  tx: EntityManager,
  claimed: ClaimedSchedule,
): Promise<ScheduleState | undefined> {
  const [row] = await sql<ScheduleState>(tx, lockState, scheduleLeases.claimOf(claimed));
  return row;
}

const lockState = {
  name: 'lock-schedule-state',
  text: `
    SELECT counted_from AS "countedFrom", asked_at AS "askedAt", firing, after_task_id::text AS "afterTaskId",
      is_paused AS "isPaused", service_now() AS now
    FROM schedule_states WHERE ${scheduleLeases.isClaimed} FOR NO KEY UPDATE`,
};

/**
 * Stores the state after a step. If the step carried out the request of `askedAt`, removes the request.
 * Returns whether another step is due.
 */
export async function moveSchedule(
  tx: EntityManager,
  { workspaceId, workflowId, scheduleId }: ScheduleKey,
  { countedFrom, askedAt, firing, afterTaskId }: ScheduleState,
  nextAt: Date | null,
): Promise<boolean> {
  const key = [workspaceId, workflowId, scheduleId];
  const values = [...key, countedFrom, nextAt, askedAt, afterTaskId, firing && JSON.stringify(firing)];
  const [moved] = await sql<{ isDue: boolean }>(tx, moveState, values);
  return moved?.isDue === true;
}

const moveState = {
  name: 'move-schedule',
  text: `
    UPDATE schedule_states SET counted_from = $4, next_at = LEAST($5, NULLIF(asked_at, $6)),
      asked_at = NULLIF(asked_at, $6), after_task_id = $7, firing = $8
    WHERE workspace_id = $1 AND workflow_id = $2 AND schedule_id = $3
    RETURNING next_at <= service_now() AS "isDue"`,
};

/**
 * Pauses or resumes a schedule. Pausing ends an unfinished firing. Returns the state before, or null if nothing
 * changes.
 */
export async function pauseSchedule(
  tx: EntityManager,
  schedule: ScheduleKey,
  isPaused: boolean,
): Promise<ScheduleStateEntity | null> {
  const where = { ...schedule, isPaused: !isPaused };
  const before = await tx.findOne(ScheduleStateEntity, { where, lock: { mode: 'pessimistic_write' } });
  const ended = { firing: null, afterTaskId: null, fence: () => 'fence + 1', leaseUntil: null };
  if (before) await tx.update(ScheduleStateEntity, schedule, { isPaused, ...(isPaused && ended) });
  return before;
}

/** Makes a schedule fire once outside its timetable, as soon as a worker claims it. */
export async function askForFiring(tx: EntityManager, schedule: ScheduleKey): Promise<void> {
  await tx.update(ScheduleStateEntity, schedule, {
    askedAt: () => 'COALESCE(asked_at, service_now())',
    nextAt: () => 'LEAST(next_at, service_now())',
  });
}
