import { type EntityManager } from 'typeorm';
import { FollowerEntity } from './follower.entity.js';
import { feedEnds, firstBehind } from '../events.repository.js';
import { type Leftovers } from '../../common/database/leftovers.js';
import { isUnleased, type Leased, Leases } from '../../common/database/leases.js';
import { sql } from '../../common/database/sql.js';
import { countBy, type SharedGauge } from '../../common/ops/metrics.js';
import { type Impact } from '../../workflows/model/impact.js';
import { type AnyFollower } from '../follower.js';

export interface FollowerKey {
  readonly workspaceId: number;
  readonly name: string;
}

interface FollowerProgress {
  readonly position: number;
  /** How many tries of the next event failed: by an error, or because the process ended or hung. */
  readonly failures: number;
}

/** A follower that this process has claimed, and its progress. Writes must check the fence. */
export type ClaimedFollower = Leased<FollowerKey & FollowerProgress>;

export const followerLeases = new Leases<FollowerKey, FollowerProgress>({
  table: 'followers',
  key: ['workspaceId', 'name'],
  read: 'position::float8 AS position, failures',
  // If `lease_until` is set, the previous process stopped or hung, perhaps because of the event.
  set: 'failures = failures + (lease_until IS NOT NULL)::integer',
});

/** Stores the followers that the new definition of a workspace needs. */
export const followersImpact = (followers: readonly AnyFollower[]): Impact => ({
  async settle(tx, { workspaceId, definition }) {
    const wanted = followers.filter((follower) => follower.wants(definition)).map(({ name }) => name);
    await sql(tx, set, [workspaceId, wanted]);
  },
});

/** Adds the missing followers in $2, at the end of the feed. Deletes those that are not in $2. */
const set = {
  name: 'set-followers',
  text: `
    WITH gone AS (DELETE FROM followers WHERE workspace_id = $1 AND name <> ALL ($2::text[]))
    INSERT INTO followers (workspace_id, name, position)
    SELECT $1, name, COALESCE((SELECT last_position FROM event_streams WHERE workspace_id = $1), 0)
    FROM unnest($2::text[]) name
    ON CONFLICT DO NOTHING`,
};

/** Unclaimed followers that have not reached the end of their feed. Gives positions to new events. */
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
    WHERE w.position < f.last_position AND ${isUnleased}`,
};

export function followerGauges(db: EntityManager, names: readonly string[]): SharedGauge[] {
  return [
    {
      name: 'wts_follower_behind_seconds',
      help: 'The age of the oldest event that a follower has not processed, by follower.',
      label: 'follower',
      read: async () => {
        const late = new Map(names.map((name) => [name, 0]));
        for (const { name, seconds } of await secondsBehind(db))
          late.set(name, Math.max(seconds, late.get(name) ?? 0));
        return late;
      },
    },
    {
      name: 'wts_events_set_aside',
      help: 'Events that could not be followed and were set aside, by follower.',
      label: 'follower',
      read: () => countBy(db, countSetAside, names),
    },
  ];
}

const countSetAside = {
  name: 'count-events-set-aside',
  scope: 'no workspace' as const,
  text: 'SELECT follower AS value, count(*)::integer AS count FROM events_set_aside GROUP BY follower',
};

/** The age in seconds of the oldest unprocessed event of each follower that is behind. */
async function secondsBehind(
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

/** Moves a follower's position. Returns false, and writes nothing, if the claim is not valid. */
export async function movePosition(
  tx: EntityManager,
  { workspaceId, name, fence, position: from }: ClaimedFollower,
  to: number,
): Promise<boolean> {
  const at = { workspaceId, name, fence, position: String(from) };
  return (await tx.update(FollowerEntity, at, { position: String(to), failures: 0 })).affected === 1;
}

export async function noteFailure(
  db: EntityManager,
  { workspaceId, name, fence }: ClaimedFollower,
): Promise<void> {
  await db.increment(FollowerEntity, { workspaceId, name, fence }, 'failures', 1);
}

export async function setAside(
  tx: EntityManager,
  { workspaceId, name }: FollowerKey,
  event: { readonly place: string },
  cause: string,
): Promise<void> {
  await sql(tx, putAside, [workspaceId, name, event.place, cause]);
}

const putAside = {
  name: 'set-event-aside',
  text: `
    INSERT INTO events_set_aside (workspace_id, follower, event_place, cause)
    VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
};

/** Deletes the records of events that were set aside more than 30 days ago. */
export const oldSetAside: Leftovers = {
  table: 'events_set_aside',
  key: 'follower, event_place',
  isOver: `created_at < service_now() - interval '30 days'`,
  most: 500,
};

export interface SetAside {
  readonly follower: string;
  readonly count: number;
  readonly cause: string;
}

export async function eventsSetAside(db: EntityManager, workspaceId: number): Promise<SetAside[]> {
  return sql<SetAside>(db, countAside, [workspaceId]);
}

const countAside = {
  name: 'events-set-aside',
  text: `
    SELECT follower, count(*)::integer AS count, (array_agg(cause ORDER BY event_place DESC))[1] AS cause
    FROM events_set_aside WHERE workspace_id = $1 GROUP BY follower ORDER BY follower`,
};
