import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { EventEntity, EventStreamEntity } from './event.entity.js';
import { type TaskKey } from '../tasks/store/task-keys.js';
import { type IdPage, pageOfLinks } from '../common/id-page.js';

/** A stored event, with internal ids and only the changed values. */
export type RecordedEvent = Readonly<Omit<EventEntity, 'workspaceId' | 'tx' | 'isOpen' | 'version'>> & {
  readonly version: number | null;
};

/** A position in the feed: directly after the event with the number `position`. 0 is before all events. */
export interface FeedPosition {
  readonly position: number;
  /** A random number. If a restored database reuses a position, the tag differs: old cursors are refused. */
  readonly tag: number;
}

/** A filter of events. An absent condition matches all events. */
export interface EventFilter {
  readonly types?: readonly string[] | undefined;
  readonly workflowIds?: readonly number[] | undefined;
  /** Slugs of deleted workflows. Events of these workflows match as well. */
  readonly formerWorkflows?: readonly string[] | undefined;
  /** Events of this type match, whatever their workflow is. */
  readonly besides?: string | undefined;
  /** The ids of tasks, as they appear in `Task URL`. */
  readonly publicIds?: readonly string[] | undefined;
  /** The Unique IDs of tasks at the time of the event. */
  readonly uniqueIds?: readonly string[] | undefined;
  /** The ids of the workflows that the reader may see; undefined for all. */
  readonly known?: readonly number[] | undefined;
}

/** A position. `event` is undefined if the filter excludes the event, or if the event was erased. */
export interface FeedRow extends FeedPosition {
  readonly event: RecordedEvent | undefined;
}

/** Gives positions to all committed events. Returns the last position. */
export async function numberEvents(db: EntityManager, workspaceId: number): Promise<FeedPosition> {
  const [last] = await sql<FeedPosition>(db, number, [workspaceId]);
  if (!last) throw new Error('events were not numbered');
  return last;
}

const number = {
  name: 'number-events',
  text: 'SELECT last_position::float8 AS position, tag FROM number_events($1)',
};

/** SQL: whether all committed events of a stream `s` have positions. Costs less than `number_events`. */
// ORDER BY leaves PostgreSQL only one index to use. With EXISTS, PostgreSQL would read all events of the
// workspace.
const hasNothingNew = `
  s.cluster = (SELECT system_identifier FROM pg_control_system())::text || '/' || 'events'::regclass::oid
  AND COALESCE((
    SELECT e.tx FROM events e WHERE e.workspace_id = s.workspace_id ORDER BY e.tx DESC LIMIT 1
  ) < pg_snapshot_xmax(s.seen::pg_snapshot)::text::bigint, true)
  AND (
    SELECT e.tx FROM events e WHERE e.workspace_id = s.workspace_id
      AND e.tx = ANY(ARRAY(SELECT x::text::bigint FROM pg_snapshot_xip(s.seen::pg_snapshot) x))
    ORDER BY e.tx LIMIT 1
  ) IS NULL`;

/** SQL: the type of the event `e`; for a decision on an approval, the decision. */
export const eventOrDecision = `CASE e.type WHEN 'approval.decided' THEN e.about ->> 'decision' ELSE e.type END`;

/** SQL: the end of the feed of each workspace in `rows`. Gives positions to new events. */
export const feedEnds = (rows: string): string => `
      SELECT a.workspace_id, CASE WHEN ${hasNothingNew} THEN s.last_position ELSE (
        SELECT n.last_position FROM number_events(a.workspace_id) n
      ) END AS last_position
      FROM (SELECT DISTINCT workspace_id FROM ${rows}) a
      LEFT JOIN event_streams s ON s.workspace_id = a.workspace_id
    `;

/** SQL: whether any row has not reached the end of its feed. New events without a position count, too. */
export const someAreBehind = (position: string, rows: string): string => `EXISTS (
      SELECT FROM (SELECT workspace_id, min(${position}) AS position FROM ${rows} GROUP BY workspace_id) a
      LEFT JOIN event_streams s ON s.workspace_id = a.workspace_id
      WHERE a.position < s.last_position OR (${hasNothingNew}) IS NOT TRUE
    )`;

/** SQL: the time of the oldest event that a row `w` has not reached. Looks only into the next chunk. */
export const firstBehind = (position: string): string => `(
      SELECT min(e.happened_at) FROM (
        SELECT c.places[${position} - c.last_position + cardinality(c.places) + 1:] AS places FROM event_chunks c
        WHERE c.workspace_id = w.workspace_id AND c.last_position > ${position} ORDER BY c.last_position LIMIT 1
      ) c
      JOIN events e ON e.workspace_id = w.workspace_id AND e.place = ANY(c.places)
    )`;

/** The position of the last numbered event. */
export async function endOfFeed(db: EntityManager, workspaceId: number): Promise<number> {
  const [row] = await sql<{ position: number }>(db, end, [workspaceId]);
  return row?.position ?? 0;
}

const end = {
  name: 'end-of-feed',
  text: 'SELECT last_position::float8 AS position FROM event_streams WHERE workspace_id = $1',
};

export async function oldestPosition(db: EntityManager, workspaceId: number): Promise<FeedPosition> {
  const stream = await db.findOneBy(EventStreamEntity, { workspaceId });
  return { position: Number(stream?.droppedTo ?? 0), tag: stream?.droppedTag ?? 0 };
}

/** Whether all events after a position are still stored. False if a restore removed or reused it. */
export async function isKept(
  db: EntityManager,
  workspaceId: number,
  { position, tag }: FeedPosition,
): Promise<boolean> {
  const [row] = await sql<{ isKept: boolean | null }>(db, kept, [workspaceId, position, tag]);
  return row?.isKept === true;
}

const kept = {
  name: 'is-event-kept',
  text: `
    SELECT CASE WHEN $2::bigint = COALESCE(s.dropped_to, 0) THEN COALESCE(s.dropped_tag, 0) = $3::integer ELSE (
      SELECT c.tag = $3 FROM event_chunks c
      WHERE c.workspace_id = $1 AND c.last_position >= $2 AND c.last_position - cardinality(c.places) < $2
      ORDER BY c.last_position LIMIT 1
    ) END AS "isKept"
    FROM (SELECT) one LEFT JOIN event_streams s ON s.workspace_id = $1`,
};

const columns = `
  e.id, e.place, e.type, e.happened_at AS "happenedAt", e.origin, e.workflow_id AS "workflowId", e.task_id AS "taskId",
  e.public_id AS "publicId", e.unique_value AS "uniqueValue", e.version::float8 AS version, e.stage_from AS "stageFrom",
  e.stage_to AS "stageTo", e.assignee_from AS "assigneeFrom", e.assignee_to AS "assigneeTo",
  e.values_from AS "valuesFrom", e.values_to AS "valuesTo", e.links, e.about`;

// pg_column_size does not fetch a value that is stored out of line.
const size = `COALESCE(pg_column_size(e.values_from), 0) + COALESCE(pg_column_size(e.values_to), 0)
  + COALESCE(pg_column_size(e.links), 0) + COALESCE(pg_column_size(e.about), 0)`;

/** The next positions after `after`, in order, with their events: up to `limit`, and about 2 MB of values. */
export async function readFeed(
  db: EntityManager,
  workspaceId: number,
  after: number,
  limit: number,
  filter: EventFilter,
): Promise<FeedRow[]> {
  const { types, workflowIds, publicIds, uniqueIds, formerWorkflows, besides } = filter;
  const places = [workspaceId, after, limit];
  const values = [...places, types, workflowIds, publicIds, MAX_BYTES, uniqueIds, formerWorkflows, besides];
  const rows = await sql<FeedPosition & (RecordedEvent | { readonly id: null })>(db, read, values);
  return rows.map((row) => ({
    position: row.position,
    tag: row.tag,
    event: row.id === null ? undefined : row,
  }));
}

const MAX_BYTES = 2_000_000;

/** SQL: the first `$3` stored positions after `$2`, and the places of their events. */
// The subquery reads the length of the array only once, because an array may be stored out of line.
export const behindCursor = `
        SELECT c.tag, c.before + o.number AS position, o.place AS event
        FROM (
          SELECT c.tag, c.places, c.last_position - cardinality(c.places) AS before FROM event_chunks c
          WHERE c.workspace_id = $1 AND c.last_position > $2 AND c.last_position <= $3 + 1000 + greatest($2, (
            SELECT s.dropped_to FROM event_streams s WHERE s.workspace_id = $1
          ))
          ORDER BY c.last_position LIMIT $3
        ) c
        CROSS JOIN LATERAL unnest(c.places) WITH ORDINALITY o (place, number)
        WHERE c.before + o.number > $2
        ORDER BY position LIMIT $3
      `;

const read = {
  name: 'read-feed',
  text: `
    SELECT e.position::float8 AS position, e.tag, ${columns} FROM (
      SELECT p.position, p.tag, e.*, sum(${size}) OVER (ORDER BY p.position) - (${size}) AS preceding
      FROM (${behindCursor}) p
      LEFT JOIN LATERAL (
        SELECT * FROM events e WHERE e.workspace_id = $1 AND e.place = p.event
          AND ($4::text[] IS NULL OR e.type = ANY($4))
          AND ($5::integer[] IS NULL OR e.workflow_id = ANY($5) OR e.type = $10 OR e.workflow_id IN (
            SELECT f.id FROM former_names f
            WHERE f.workspace_id = $1 AND f.kind = 'workflow' AND f.name = ANY($9::text[])
          ))
          AND ($6::text[] IS NULL OR e.public_id = ANY($6)) AND ($8::text[] IS NULL OR e.unique_value = ANY($8))
        LIMIT 1
      ) e ON true
    ) e
    WHERE e.preceding < $7
    ORDER BY e.position`,
};

/** Maps each place to its event, or to undefined for a deleted event. Reads up to about 2 MB of values. */
export async function readEvents(
  db: EntityManager,
  workspaceId: number,
  places: readonly string[],
): Promise<ReadonlyMap<string, RecordedEvent | undefined>> {
  const values = [workspaceId, places, MAX_BYTES];
  const rows = await sql<FoundEvent>(db, readByPlace, values);
  return new Map(rows.map((row) => [row.at, row.id === null ? undefined : row]));
}

type FoundEvent = { readonly at: string } & (RecordedEvent | { readonly id: null });

const readByPlace = {
  name: 'read-events-by-place',
  text: `
    SELECT e.at, ${columns} FROM (
      SELECT p.at, p.number, e.*, sum(${size}) OVER (ORDER BY p.number) - (${size}) AS preceding
      FROM unnest($2::bigint[]) WITH ORDINALITY p (at, number)
      LEFT JOIN LATERAL (SELECT * FROM events e WHERE e.workspace_id = $1 AND e.place = p.at LIMIT 1) e ON true
    ) e
    WHERE e.preceding < $3
    ORDER BY e.number`,
};

/** The events after `place` that created the task, or changed its stage or one of these fields. */
export async function readChanges(
  db: EntityManager,
  { workspaceId, taskId }: Pick<TaskKey, 'workspaceId' | 'taskId'>,
  place: string,
  fieldIds: readonly string[],
  limit: number,
): Promise<RecordedEvent[]> {
  return sql<RecordedEvent>(db, readChanged, [workspaceId, taskId, place, fieldIds, limit]);
}

const readChanged = {
  name: 'read-changes-of-task',
  text: `
    SELECT ${columns} FROM events e WHERE e.workspace_id = $1 AND e.task_id = $2 AND e.place > $3::bigint
      AND (e.type = 'task.created' OR e.type = 'task.updated' AND (
        e.stage_from IS DISTINCT FROM e.stage_to OR e.values_from ?| $4::text[] OR e.values_to ?| $4::text[]
      ))
    ORDER BY e.place LIMIT $5`,
};

/** The event with this public id, if the event is among the newest million of the workspace. */
export async function findEvent(
  db: EntityManager,
  workspaceId: number,
  shownId: string,
): Promise<RecordedEvent | undefined> {
  const hex = /^evt_([0-9a-f]{32})$/.exec(shownId)?.[1];
  if (hex === undefined) return undefined;
  const [event] = await sql<RecordedEvent>(db, readById, [workspaceId, hex]);
  return event;
}

// A scan, because an index of ids would slow down every write, and single events are rarely read.
const readById = {
  name: 'find-event',
  text: `
    SELECT ${columns} FROM (
      SELECT * FROM events WHERE workspace_id = $1 ORDER BY place DESC LIMIT 1000000
    ) e WHERE e.id = $2::uuid LIMIT 1`,
};

/** An event of a task. Its `id` is the event's `place`, after which the next page starts. */
interface TaskEvent {
  readonly id: string;
  readonly found: string;
  readonly event: RecordedEvent;
}

/**
 * A page of a task's events, newest first, up to about 2 MB of values. It starts after the event at the place
 * `before`, or with the newest event if `before` is '0'.
 */
export async function historyPage(
  db: EntityManager,
  { workspaceId, taskId }: TaskKey,
  before: string,
  limit: number,
): Promise<IdPage<TaskEvent>> {
  const values = [workspaceId, taskId, before, limit + 1, MAX_BYTES];
  const rows = await sql<RecordedEvent & { readonly found: string }>(db, history, values);
  return pageOfLinks(
    rows.map(({ found, ...event }) => ({ id: event.place, found, event })),
    limit,
  );
}

// Greater than every place. If the bound is a number, PostgreSQL can use the index. If the condition used OR
// instead, PostgreSQL would read all events that are newer than the page.
const behindAll = '9223372036854775807';

const history = {
  name: 'read-history',
  text: `
    SELECT ${columns}, e.found FROM (
      SELECT e.*, count(*) OVER () AS found, sum(${size}) OVER (ORDER BY e.place DESC) - (${size}) AS preceding
      FROM (
        SELECT * FROM events e
        WHERE e.workspace_id = $1 AND e.task_id = $2 AND e.place < COALESCE(NULLIF($3::bigint, 0), ${behindAll})
        ORDER BY e.place DESC LIMIT $4
      ) e
    ) e
    WHERE e.preceding < $5
    ORDER BY e.place DESC`,
};

/** Deletes all events of a task, and returns their number. Their positions remain. */
// Scans the workspace's events, because an index of public ids would slow down every write.
export async function forgetTask(db: EntityManager, workspaceId: number, publicId: string): Promise<number> {
  return (await db.delete(EventEntity, { workspaceId, publicId })).affected ?? 0;
}

/** How many chunks were dropped, and how many of these chunks a follower had not read. */
export interface DroppedChunks {
  readonly dropped: number;
  readonly unread: number;
}

/** Drops up to 100 chunks of old events. If a follower has not read a chunk, keeps it up to twice as long. */
export async function dropEvents(
  db: EntityManager,
  workspaceId: number,
  days: number,
): Promise<DroppedChunks> {
  const [row] = await sql<DroppedChunks>(db, drop, [workspaceId, days]);
  return row ?? { dropped: 0, unread: 0 };
}

// Drops only whole chunks, from the start of the feed. A chunk is as old as its newest event.
const drop = {
  name: 'drop-events',
  text: `
    WITH old AS (
      SELECT c.last_position, c.places, c.tag FROM event_chunks c
      WHERE c.workspace_id = $1 ORDER BY c.last_position LIMIT 100
    ), aged AS (
      SELECT o.*, o.last_position > f.position AS is_unread, bool_and(NOT EXISTS (
        SELECT FROM events e WHERE e.workspace_id = $1 AND e.place = ANY(o.places)
          AND e.happened_at > service_now() - make_interval(
            days => CASE WHEN o.last_position > f.position THEN 2 * $2::integer ELSE $2 END)
      )) OVER (ORDER BY o.last_position) AS is_old
      FROM old o CROSS JOIN (
        SELECT COALESCE(min(position), 9223372036854775807) AS position FROM followers WHERE workspace_id = $1
      ) f
    ), chunks AS (
      DELETE FROM event_chunks c USING aged a
      WHERE a.is_old AND c.workspace_id = $1 AND c.last_position = a.last_position
      RETURNING c.last_position, c.places, c.tag, a.is_unread
    ), dropped AS (
      DELETE FROM events e WHERE e.workspace_id = $1 AND e.place IN (SELECT unnest(c.places) FROM chunks c)
      RETURNING e.place
    ), stream AS (
      UPDATE event_streams s SET dropped_to = c.last_position, dropped_tag = c.tag
      FROM (SELECT * FROM chunks ORDER BY last_position DESC LIMIT 1) c WHERE s.workspace_id = $1
    )
    SELECT (SELECT count(*) FROM chunks)::integer AS dropped,
      (SELECT count(*) FROM chunks WHERE is_unread)::integer AS unread, (SELECT count(*) FROM dropped) AS events`,
};

export async function workspacesOfEvents(db: EntityManager): Promise<number[]> {
  const rows = await sql<{ id: number }>(db, workspaces, []);
  return rows.map(({ id }) => id);
}

const workspaces = {
  name: 'workspaces-of-events',
  scope: 'all workspaces' as const,
  text: 'SELECT w.id FROM workspaces w WHERE EXISTS (SELECT FROM events e WHERE e.workspace_id = w.id)',
};
