import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { behindCursor, oldestPosition } from '../../events/events.repository.js';
import { type FeedRange } from '../../events/follower.js';
import { FlowDayEntity, LengthDayEntity, StageVisitEntity } from './stage-visit.entity.js';

/** Stores the visits that a range of events began or ended. Counts the moves and ended visits of each day. */
export async function followStages(
  tx: EntityManager,
  workspaceId: number,
  { after, to }: FeedRange,
): Promise<void> {
  await sql(tx, follow, [workspaceId, after, to - after]);
}

/** SQL: the number of the range that contains a length in seconds. A range ends about 1 % above its start. */
export const cellOf = (seconds: string): string => `(ln(greatest(${seconds}, 1)) * 100)::integer`;

// The origin is matched as text, because a client that writes by SQL may have set it to any text.
const author = `"(user|execution)":"`;
/** SQL: whether a task was imported: created by the command line, by SQL, or silently by an API key. */
const isImport = `(e.origin IS NULL OR e.origin !~ '"(user|execution|key|form|cause)":'
  OR e.origin ~ '"silent":true' AND e.origin !~ '${author}')`;

const follow = {
  name: 'follow-stages',
  // LIMIT 1 forces PostgreSQL to look up the events one by one. The lock keeps the workspace from being
  // deleted meanwhile. A foreign key would lock the workspace again for each visit.
  text: `
    WITH workspace AS MATERIALIZED (
      SELECT id, timezone FROM workspaces WHERE id = $1 FOR KEY SHARE
    ), passed AS MATERIALIZED (
      SELECT e.* FROM (${behindCursor}) p CROSS JOIN LATERAL (
        SELECT e.place, e.task_id, e.workflow_id, e.happened_at, e.stage_to, e.type = 'task.created' AS is_new,
          e.type <> 'task.created' OR ${isImport} AS is_imported
        FROM events e WHERE e.workspace_id = $1 AND e.place = p.event AND p.position <= $2 + $3 AND e.task_id IS NOT NULL
          AND e.workflow_id IS NOT NULL AND e.type IN ('task.created', 'task.updated', 'task.deleted')
          AND e.stage_from IS DISTINCT FROM e.stage_to
        LIMIT 1
      ) e
    ), last AS MATERIALIZED (
      SELECT v.* FROM (SELECT DISTINCT task_id FROM passed WHERE NOT is_new) p CROSS JOIN LATERAL (
        SELECT * FROM stage_visits v WHERE v.workspace_id = $1 AND v.task_id = p.task_id ORDER BY v.n DESC LIMIT 1
      ) v
    ), steps AS MATERIALIZED (
      SELECT p.task_id, p.workflow_id, p.stage_to, l.n AS last, l.entered_at, row_number() OVER by_task AS nth,
        COALESCE(lag(p.stage_to) OVER by_task, l.stage_id) AS stage_from,
        -- The system time of a server may go back.
        greatest(max(p.happened_at) OVER by_task, l.entered_at) AS at,
        COALESCE(l.began_at, first_value(p.happened_at) OVER by_task) AS began_at,
        -- If the creation of a task is unknown, its age is unknown, as for imported tasks.
        COALESCE(l.is_imported, first_value(p.is_imported) OVER by_task) AS is_imported
      FROM passed p LEFT JOIN last l ON l.task_id = p.task_id
      WINDOW by_task AS (PARTITION BY p.task_id ORDER BY p.place)
    ), entered AS (
      INSERT INTO stage_visits (workspace_id, task_id, n, workflow_id, stage_id, stage_to, entered_at, left_at, began_at,
        is_imported)
      SELECT w.id, task_id, COALESCE(last, 0) + nth, workflow_id, stage_to, next, at, left_at, began_at, is_imported
      FROM (
        SELECT *, lead(stage_to) OVER (PARTITION BY task_id ORDER BY nth) AS next,
          lead(at) OVER (PARTITION BY task_id ORDER BY nth) AS left_at
        FROM steps
      ) s CROSS JOIN workspace w WHERE stage_to IS NOT NULL
    ), ended AS (
      UPDATE stage_visits v SET left_at = s.at, stage_to = s.stage_to FROM steps s
      WHERE s.nth = 1 AND v.workspace_id = $1 AND v.task_id = s.task_id AND v.n = s.last
    ), counted AS (
      INSERT INTO length_days AS d (workspace_id, workflow_id, stage_id, stage_to, day, is_imported, cell, n, longest)
      SELECT w.id, workflow_id, stage_from, l.stage_to, (at AT TIME ZONE w.timezone)::date, is_imported,
        ${cellOf('seconds')}, count(*), max(seconds)
      FROM (
        SELECT *, COALESCE(lag(at) OVER (PARTITION BY task_id ORDER BY nth), entered_at) AS since FROM steps
      ) s CROSS JOIN workspace w CROSS JOIN LATERAL (
        VALUES (0, date_part('epoch', at - since)), (s.stage_to, date_part('epoch', at - began_at))
      ) l (stage_to, seconds)
      WHERE stage_from IS NOT NULL AND s.stage_to IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (workspace_id, workflow_id, stage_id, stage_to, day, is_imported, cell)
        DO UPDATE SET n = d.n + excluded.n, longest = greatest(d.longest, excluded.longest)
    )
    INSERT INTO flow_days AS f (workspace_id, workflow_id, day, stage_from, stage_to, is_imported, n)
    SELECT w.id, workflow_id, (at AT TIME ZONE w.timezone)::date, COALESCE(stage_from, 0), COALESCE(stage_to, 0),
      is_imported, count(*)
    FROM steps CROSS JOIN workspace w WHERE COALESCE(stage_from, stage_to) IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (workspace_id, workflow_id, day, stage_from, stage_to, is_imported) DO UPDATE SET n = f.n + excluded.n`,
};

/** Deletes all visits and counts of a workspace, and sets the follower back to count all events again. */
export async function rebuildFigures(tx: EntityManager, workspaceId: number): Promise<void> {
  const { position } = await oldestPosition(tx, workspaceId);
  if (position > 0) throw new Error('Older events were deleted, so the figures cannot be rebuilt.');
  // This update comes first: it waits until a running transaction of the follower ends. The visits that the
  // transaction stores are then deleted, too.
  await sql(tx, beginAnew, [workspaceId]);
  await tx.delete(StageVisitEntity, { workspaceId });
  await tx.delete(FlowDayEntity, { workspaceId });
  await tx.delete(LengthDayEntity, { workspaceId });
}

const beginAnew = {
  name: 'rebuild-figures',
  text: `UPDATE followers SET position = 0, failures = 0 WHERE workspace_id = $1 AND name = 'figures'`,
};
