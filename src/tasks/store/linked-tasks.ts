import { eachPage, type IdPage, pageOfLinks } from '../../common/id-page.js';
import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type LinkedTask, type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { withLinked, plainColumns, taskColumns, type TaskRow } from './task-row.js';
import { isEndSeen, isSeen, seenLinkedTasks, sightFrom, sqlSeen } from './seen.js';
import { assertVersion } from '../../workflows/model/workspaces.js';
import { type Scope } from '../../workflows/model/scope.js';

type Linked = NonNullable<TaskView['linked']> | null;

/** Returns the tasks linked to this task; null if they are too many or too large. */
export async function readLinked(db: EntityManager, scope: Scope, id: string): Promise<Linked> {
  return (await readLinkedOf(db, scope, [id])).get(id) ?? null;
}

/**
 * Maps task ids to linked tasks. If the linked tasks become too many or too large in total at some id, that id
 * and each later id with links map to null.
 */
export async function readLinkedOf(
  db: EntityManager,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, Linked>> {
  const values = [scope.workspaceId, ids];
  const rows = await sqlSeen<{ id: string; linked: Linked }>(db, scope, linkedOf, values);
  return new Map(rows.map((row) => [row.id, withLinked(row).linked]));
}

/**
 * Reads the tasks that are linked on a side and whose ids are greater than `after`. Stops after `limit`
 * tasks, or after about 2 MB of values.
 */
export async function linkedPage(
  db: EntityManager,
  scope: Scope,
  id: string,
  side: string,
  after: string,
  limit: number,
): Promise<IdPage<TaskRow>> {
  const statement = side.startsWith('>') ? pageTo : pageFrom;
  const values = [scope.workspaceId, id, side.slice(1), after, limit + 1];
  const found = await sqlSeen<TaskRow & { found: string }>(db, scope, statement, values);
  return pageOfLinks(found, limit);
}

/** Reads all tasks that are linked on a side of a relationship, page by page. */
export function linkedPages(
  db: EntityManager,
  scope: Scope,
  id: string,
  side: string,
): AsyncGenerator<readonly TaskRow[]> {
  return eachPage((after, limit) => linkedPage(db, scope, id, side, after, limit), MAX_LINKS);
}

const MAX_LINKS = 5000;

/** A linked task. `fieldValues` is null if the values of this task and the previous tasks exceed a limit. */
export type PickedTask = Omit<LinkedTask, 'fieldValues'> & {
  readonly fieldValues: LinkedTask['fieldValues'] | null;
};

/**
 * Reads the given fields of linked tasks: up to `limit` tasks per given side, and 2 MB of values in total.
 */
export async function pickLinked(
  db: EntityManager,
  { workspaceId, version }: Workflow,
  id: string,
  sides: readonly string[],
  fieldIds: readonly string[],
  limit: number,
): Promise<PickedTask[]> {
  const values = [workspaceId, id, sides, fieldIds, limit];
  const rows = await sql<{ definition: number } & (PickedTask | { publicId: null })>(db, pick, values);
  assertVersion(rows[0]?.definition ?? 0, version);
  return rows.filter((row) => row.publicId !== null);
}

/** Returns the sides on which the task has more than `most` linked tasks. */
export async function crowdedSides(
  db: EntityManager,
  { workspaceId }: Workflow,
  id: string,
  sides: readonly string[],
  most: number,
): Promise<string[]> {
  const rows = await sql<{ side: string }>(db, crowded, [workspaceId, id, sides, most]);
  return rows.map(({ side }) => side);
}

const linksOf = (side: string, limit: string): string => `
        (SELECT l.to_workflow_id AS workflow_id, l.to_id AS id FROM links l
        WHERE left(${side}, 1) = '>' AND l.workspace_id = $1 AND l.from_id = $2 AND l.relationship_id = substr(${side}, 2)
        ORDER BY l.to_id LIMIT ${limit})
        UNION ALL
        (SELECT l.from_workflow_id, l.from_id FROM links l
        WHERE left(${side}, 1) = '<' AND l.workspace_id = $1 AND l.to_id = $2 AND l.relationship_id = substr(${side}, 2)
        ORDER BY l.from_id LIMIT ${limit})`;

// Reads at most 20 MB of stored values, because PostgreSQL reads all values of a task to get one value.
const pick = {
  name: 'pick-linked-tasks',
  text: `
    WITH linked AS (
      SELECT s.side, t.*, sum(pg_column_size(t.field_values)) OVER (ORDER BY t.id, s.side) AS whole
      FROM unnest($3::text[]) s (side)
      CROSS JOIN LATERAL (${linksOf('s.side', '$5')}) l
      JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = l.workflow_id AND t.id = l.id
    ), picked AS (
      SELECT t.side, ${plainColumns}, CASE WHEN t.whole <= 20000000 THEN COALESCE((
          SELECT jsonb_object_agg(f.id, t.field_values -> f.id) FROM unnest($4::text[]) f (id)
          WHERE t.field_values ? f.id
        ), '{}') END AS picked
      FROM linked t
    ), measured AS (
      SELECT p.*, sum(pg_column_size(p.picked)) OVER (ORDER BY p.id, p.side) AS size FROM picked p
    )
    SELECT w.version AS definition, m.side, m."publicId", m."uniqueValue", m."stageId", m."assigneeId", m.version, m."changedAt",
      CASE WHEN m.size <= 2000000 THEN m.picked END AS "fieldValues"
    FROM workspaces w LEFT JOIN measured m ON true
    WHERE w.id = $1
    ORDER BY m.id`,
};

const crowded = {
  name: 'crowded-sides',
  text: `
    SELECT s.side FROM unnest($3::text[]) s (side)
    WHERE (SELECT count(*) FROM (SELECT FROM (${linksOf('s.side', '$4 + 1')}) l LIMIT $4 + 1) l) > $4`,
};

/** Returns a hash of the versions of all linked tasks that the viewer sees; empty if there are none. */
export async function linkedState(db: EntityManager, scope: Scope, id: string): Promise<string> {
  const [row] = await sqlSeen<{ state: string | null }>(db, scope, state, [scope.workspaceId, id]);
  return row?.state ?? '';
}

const linkedOf = {
  name: 'read-linked-tasks',
  text: `SELECT task AS id, linked FROM ${seenLinkedTasks('$1', '$2::bigint[]', sightFrom(3))}`,
};

const pageText = (far: 'from' | 'to', near: 'from' | 'to'): string => `
    SELECT ${taskColumns}, t.found FROM (
      SELECT t.*, count(*) OVER () AS found, sum(pg_column_size(t.field_values)) OVER (ORDER BY t.id ROWS UNBOUNDED PRECEDING)
        - pg_column_size(t.field_values) AS preceding
      FROM (
        SELECT l.${far}_workflow_id AS workflow_id, l.${far}_id AS id FROM links l
        WHERE l.workspace_id = $1 AND l.${near}_id = $2 AND l.relationship_id = $3 AND l.${far}_id > $4::bigint
          AND ${isEndSeen(far, sightFrom(6))}
        ORDER BY l.${far}_id LIMIT $5
      ) l
      JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = l.workflow_id AND t.id = l.id
    ) t
    WHERE t.preceding < 2000000
    ORDER BY t.id`;

const pageTo = { name: 'page-linked-to', text: pageText('to', 'from') };
const pageFrom = { name: 'page-linked-from', text: pageText('from', 'to') };

const state = {
  name: 'linked-state',
  text: `
    SELECT md5(string_agg(l.side || ' ' || t.public_id || ' ' || t.version || t.updated_at, ',' ORDER BY t.id, l.side)) AS state
    FROM (
      SELECT '>' || relationship_id AS side, to_workflow_id AS workflow_id, to_id AS id FROM links
      WHERE workspace_id = $1 AND from_id = $2
      UNION ALL
      SELECT '<' || relationship_id, from_workflow_id, from_id FROM links WHERE workspace_id = $1 AND to_id = $2
    ) l
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = l.workflow_id AND t.id = l.id AND ${isSeen('t', sightFrom(3))}`,
};
