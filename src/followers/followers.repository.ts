import { type EntityManager } from 'typeorm';
import { feedEnds, firstBehind } from '../events/events.repository.js';
import { sql } from '../database/sql.js';

/** What the doorbell calls the work of followers. */
export const followJob = 'follow';

/** A follower of one workspace. */
export interface FollowerKey {
  readonly workspaceId: number;
  readonly name: string;
}

/** A follower that belongs to this process until its lease ends; it is written under this fence only. */
export interface ClaimedFollower extends FollowerKey {
  readonly fence: number;
}

/** Lets the workspace have these followers and no others; new ones begin at the end of the feed. */
export async function setFollowers(
  db: EntityManager,
  workspaceId: number,
  names: readonly string[],
): Promise<void> {
  await sql(db, set, [workspaceId, names]);
}

const set = {
  name: 'set-followers',
  text: `
    WITH gone AS (DELETE FROM followers WHERE workspace_id = $1 AND name <> ALL ($2::text[]))
    INSERT INTO followers (workspace_id, name, position)
    SELECT $1, name, COALESCE((SELECT last_position FROM event_streams WHERE workspace_id = $1), 0)
    FROM unnest($2::text[]) name
    ON CONFLICT DO NOTHING`,
};

/** The followers that are behind the end of their feed and that no process has. Events get their positions on the way. */
export async function dueFollowers(db: EntityManager): Promise<FollowerKey[]> {
  return sql<FollowerKey>(db, due, []);
}

const due = {
  name: 'due-followers',
  scope: 'all workspaces' as const,
  text: `
    WITH feeds AS MATERIALIZED (${feedEnds('followers')})
    SELECT w.workspace_id AS "workspaceId", w.name FROM followers w
    JOIN feeds f ON f.workspace_id = w.workspace_id
    WHERE w.position < f.last_position AND (w.lease_until IS NULL OR w.lease_until < clock_timestamp())`,
};

/** For how many seconds the oldest event behind each follower has been there, of those that are behind. */
export async function secondsBehind(
  db: EntityManager,
): Promise<{ readonly name: string; readonly seconds: number }[]> {
  return sql(db, behind, []);
}

const behind = {
  name: 'followers-behind',
  scope: 'all workspaces' as const,
  text: `
    WITH feeds AS MATERIALIZED (${feedEnds('followers')})
    SELECT w.name, COALESCE(EXTRACT(epoch FROM service_now() - min(${firstBehind('w.position')})), 0)::float8 AS seconds
    FROM followers w JOIN feeds f ON f.workspace_id = w.workspace_id
    WHERE w.position < f.last_position GROUP BY w.name`,
};

/** Claims a follower that nobody has; else undefined. */
export async function claimFollower(
  db: EntityManager,
  { workspaceId, name }: FollowerKey,
  leaseMs: number,
): Promise<ClaimedFollower | undefined> {
  const [row] = await sql<{ fence: number }>(db, claim, [workspaceId, name, leaseMs]);
  return row && { workspaceId, name, fence: row.fence };
}

const claim = {
  name: 'claim-follower',
  text: `
    UPDATE followers SET fence = fence + 1, lease_until = clock_timestamp() + make_interval(secs => $3::numeric / 1000)
    WHERE workspace_id = $1 AND name = $2 AND (lease_until IS NULL OR lease_until < clock_timestamp())
    RETURNING fence`,
};

/** False where somebody else has claimed the follower. */
export async function renewFollower(
  db: EntityManager,
  { workspaceId, name, fence }: ClaimedFollower,
  leaseMs: number,
): Promise<boolean> {
  return (await sql(db, renew, [workspaceId, name, fence, leaseMs])).length > 0;
}

const renew = {
  name: 'renew-follower',
  text: `
    UPDATE followers SET lease_until = clock_timestamp() + make_interval(secs => $4::numeric / 1000)
    WHERE workspace_id = $1 AND name = $2 AND fence = $3 RETURNING fence`,
};

/** Ends the lease of a claimed follower, so that anybody can claim it at once. */
export async function releaseFollower(
  db: EntityManager,
  { workspaceId, name, fence }: ClaimedFollower,
): Promise<void> {
  await sql(db, release, [workspaceId, name, fence]);
}

const release = {
  name: 'release-follower',
  text: 'UPDATE followers SET lease_until = NULL WHERE workspace_id = $1 AND name = $2 AND fence = $3',
};

/** How far a claimed follower has come. */
export interface FollowerProgress {
  readonly position: number;
  /** How often the event behind it has failed by a fault of its own. */
  readonly failures: number;
}

/** Where a claimed follower stands; undefined where somebody else has it. */
export async function progressOf(
  db: EntityManager,
  { workspaceId, name, fence }: ClaimedFollower,
): Promise<FollowerProgress | undefined> {
  const [row] = await sql<FollowerProgress>(db, readProgress, [workspaceId, name, fence]);
  return row;
}

const readProgress = {
  name: 'read-follower',
  text: `
    SELECT position::float8 AS position, failures FROM followers
    WHERE workspace_id = $1 AND name = $2 AND fence = $3`,
};

/** Moves a claimed follower from one position to another; false, and nothing is written, where it stands elsewhere. */
export async function movePosition(
  tx: EntityManager,
  { workspaceId, name, fence }: ClaimedFollower,
  from: number,
  to: number,
): Promise<boolean> {
  return (await sql(tx, move, [workspaceId, name, fence, from, to])).length > 0;
}

const move = {
  name: 'move-follower',
  text: `
    UPDATE followers SET position = $5, failures = 0
    WHERE workspace_id = $1 AND name = $2 AND fence = $3 AND position = $4 RETURNING fence`,
};

/** Counts one more failure of the event behind the position. */
export async function noteFailure(
  db: EntityManager,
  { workspaceId, name, fence }: ClaimedFollower,
): Promise<void> {
  await sql(db, fail, [workspaceId, name, fence]);
}

const fail = {
  name: 'fail-follower',
  text: 'UPDATE followers SET failures = failures + 1 WHERE workspace_id = $1 AND name = $2 AND fence = $3',
};

/** Keeps an event that a follower goes on without. */
export async function setAside(
  tx: EntityManager,
  { workspaceId, name }: FollowerKey,
  event: { readonly place: string; readonly taskId: string | null },
  cause: string,
): Promise<void> {
  await sql(tx, putAside, [workspaceId, name, event.place, event.taskId, cause]);
}

const putAside = {
  name: 'set-event-aside',
  text: `
    INSERT INTO events_set_aside (workspace_id, follower, event_place, task_id, cause)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
};
