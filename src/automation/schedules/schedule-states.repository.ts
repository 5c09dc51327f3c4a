import { type EntityManager } from 'typeorm';
import { nextFirings, type Timetable } from '../../workflows/time/firings.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { type Leased, Leases } from '../../common/database/leases.js';
import { sql } from '../../common/database/sql.js';
import { type ScheduleStateEntity } from './schedule-state.entity.js';
import { type Workflow } from '../../workflows/model/workspace.js';

export const scheduleJob = 'schedule';

export type ScheduleKey = Readonly<Pick<ScheduleStateEntity, 'workspaceId' | 'workflowId' | 'scheduleId'>>;

/** A schedule that this process holds until its lease ends; writes require its fence. */
export type ClaimedSchedule = Leased<ScheduleKey>;

export const scheduleLeases = new Leases<ScheduleKey>({
  table: 'schedule_states',
  columns: [
    ['workspaceId', 'workspace_id'],
    ['workflowId', 'workflow_id'],
    ['scheduleId', 'schedule_id'],
  ],
  isDue: '(next_at <= (SELECT service_now()) OR asked_at IS NOT NULL OR firing IS NOT NULL)',
  dueAt: 'next_at',
});

export interface WantedSchedule {
  readonly workflowId: number;
  readonly scheduleId: string;
  readonly timetable: Timetable;
  /** All settings that determine its times. */
  readonly text: string;
}

type Known = Readonly<Pick<ScheduleStateEntity, 'workflowId' | 'scheduleId' | 'timetable'>>;

/** Sets the schedules of a workspace, and removes all others. A schedule whose times have changed counts from now on. */
export async function setSchedules(
  tx: EntityManager,
  workspaceId: number,
  wanted: readonly WantedSchedule[],
): Promise<void> {
  const [found] = await sql<{ now: Date; known: Known[] }>(tx, readKnown, [workspaceId]);
  const { now = serviceTime(tx), known = [] } = found ?? {};
  const nameOf = ({ workflowId, scheduleId }: Pick<Known, 'workflowId' | 'scheduleId'>): string =>
    `${workflowId}/${scheduleId}`;
  const before = new Map(known.map((one) => [nameOf(one), one.timetable]));
  const after = new Set(wanted.map(nameOf));
  const gone = known.filter((one) => !after.has(nameOf(one)));
  const changed = wanted.filter((one) => before.get(nameOf(one)) !== one.text);
  if (gone.length > 0) await sql(tx, remove, [workspaceId, ...columnsOf(gone)]);
  if (changed.length === 0) return;
  const next = changed.map(({ timetable }) => nextFirings(timetable, now.getTime(), 1)[0]);
  const instants = next.map((firing) => firing && new Date(firing.instant));
  const texts = changed.map(({ text }) => text);
  await sql(tx, put, [workspaceId, ...columnsOf(changed), texts, instants, now]);
}

function columnsOf(rows: readonly Pick<Known, 'workflowId' | 'scheduleId'>[]): [number[], string[]] {
  return [rows.map(({ workflowId }) => workflowId), rows.map(({ scheduleId }) => scheduleId)];
}

const readKnown = {
  name: 'read-known-schedules',
  text: `
    SELECT service_now() AS now, COALESCE(json_agg(json_build_object(
      'workflowId', workflow_id, 'scheduleId', schedule_id, 'timetable', timetable)), '[]') AS known
    FROM schedule_states WHERE workspace_id = $1`,
};

const remove = {
  name: 'remove-schedules',
  text: `
    DELETE FROM schedule_states WHERE workspace_id = $1
      AND (workflow_id, schedule_id) IN (SELECT * FROM unnest($2::integer[], $3::text[]))`,
};

const put = {
  name: 'put-schedules',
  text: `
    INSERT INTO schedule_states (workspace_id, workflow_id, schedule_id, timetable, next_at, counted_from)
    SELECT $1, w.workflow_id, w.schedule_id, w.timetable, w.next_at, $6
    FROM unnest($2::integer[], $3::text[], $4::text[], $5::timestamptz[])
      AS w (workflow_id, schedule_id, timetable, next_at)
    ON CONFLICT (workspace_id, workflow_id, schedule_id) DO UPDATE
      SET timetable = EXCLUDED.timetable, next_at = EXCLUDED.next_at, counted_from = EXCLUDED.counted_from,
        fence = schedule_states.fence + 1, lease_until = NULL`,
};

/** SQL: when the next schedule has work to do. */
export const nextSchedule = `LEAST((SELECT min(next_at) FROM schedule_states), (
  SELECT service_now() FROM schedule_states WHERE asked_at IS NOT NULL OR firing IS NOT NULL LIMIT 1))`;

export interface ScheduleState extends Readonly<
  Pick<ScheduleStateEntity, 'countedFrom' | 'isPaused' | 'askedAt' | 'firing' | 'afterTaskId'>
> {
  readonly now: Date;
}

/** The state of a claimed schedule; undefined if another process has claimed it, or it was removed. */
export async function readScheduleState(
  db: EntityManager,
  claimed: ClaimedSchedule,
): Promise<ScheduleState | undefined> {
  const [row] = await sql<ScheduleState>(db, readState, scheduleLeases.claimOf(claimed));
  return row;
}

const readState = {
  name: 'read-schedule-state',
  text: `
    SELECT counted_from AS "countedFrom", is_paused AS "isPaused", asked_at AS "askedAt", firing,
      after_task_id::text AS "afterTaskId", service_now() AS now
    FROM schedule_states WHERE ${scheduleLeases.isClaimed}`,
};

/** A change of a state: absent values stay as they are. */
export type ScheduleMove = Readonly<
  Pick<
    ScheduleStateEntity,
    'countedFrom' | 'nextAt' | 'askedAt' | 'firing' | 'afterTaskId' | 'lastNominal' | 'lastAt' | 'lastResult'
  >
>;

/** Moves a claimed schedule on; returns false, and writes nothing, if another process has claimed it. */
export async function moveSchedule(
  tx: EntityManager,
  claimed: ClaimedSchedule,
  move: Partial<ScheduleMove>,
): Promise<boolean> {
  const values = [...scheduleLeases.claimOf(claimed), JSON.stringify(move)];
  return (await sql(tx, moveState, values)).length > 0;
}

const moved = (column: string, key: string, type: string): string =>
  `${column} = CASE WHEN m.move ? '${key}' THEN (m.move ->> '${key}')::${type} ELSE s.${column} END`;

const moveState = {
  name: 'move-schedule',
  text: `
    UPDATE schedule_states s SET
      ${moved('counted_from', 'countedFrom', 'timestamptz')},
      ${moved('next_at', 'nextAt', 'timestamptz')},
      ${moved('asked_at', 'askedAt', 'timestamptz')},
      ${moved('firing', 'firing', 'json')},
      ${moved('after_task_id', 'afterTaskId', 'bigint')},
      ${moved('last_nominal', 'lastNominal', 'text')},
      ${moved('last_at', 'lastAt', 'timestamptz')},
      ${moved('last_result', 'lastResult', 'text')}
    FROM (SELECT $5::jsonb AS move) m
    WHERE ${scheduleLeases.isClaimed} RETURNING fence`,
};

export type ShownState = Readonly<
  Pick<ScheduleStateEntity, 'scheduleId' | 'isPaused' | 'lastNominal' | 'lastAt' | 'lastResult'>
> & { readonly now: Date };

export async function scheduleStatesOf(
  db: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
): Promise<ReadonlyMap<string, ShownState>> {
  const rows = await sql<ShownState>(db, readStates, [workspaceId, id]);
  return new Map(rows.map((row) => [row.scheduleId, row]));
}

const readStates = {
  name: 'read-schedule-states',
  text: `
    SELECT schedule_id AS "scheduleId", is_paused AS "isPaused", last_nominal AS "lastNominal", last_at AS "lastAt",
      last_result AS "lastResult", service_now() AS now
    FROM schedule_states WHERE workspace_id = $1 AND workflow_id = $2`,
};

/** Pauses or resumes a schedule; false if nothing changes. Pausing ends a firing that is still being started. */
export async function pauseSchedule(
  tx: EntityManager,
  { workspaceId, workflowId, scheduleId }: ScheduleKey,
  isPaused: boolean,
): Promise<boolean> {
  return (await sql(tx, pause, [workspaceId, workflowId, scheduleId, isPaused])).length > 0;
}

const pause = {
  name: 'pause-schedule',
  text: `
    UPDATE schedule_states
    SET is_paused = $4, firing = NULL, after_task_id = NULL, fence = fence + 1, lease_until = NULL
    WHERE workspace_id = $1 AND workflow_id = $2 AND schedule_id = $3 AND is_paused <> $4 RETURNING schedule_id`,
};

/** Makes a schedule fire outside its timetable as soon as a worker finds it. */
export async function askForFiring(
  db: EntityManager,
  { workspaceId, workflowId, scheduleId }: ScheduleKey,
): Promise<void> {
  await sql(db, ask, [workspaceId, workflowId, scheduleId]);
}

const ask = {
  name: 'ask-for-firing',
  text: `
    UPDATE schedule_states SET asked_at = COALESCE(asked_at, service_now())
    WHERE workspace_id = $1 AND workflow_id = $2 AND schedule_id = $3`,
};
