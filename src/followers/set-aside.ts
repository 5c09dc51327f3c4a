import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';

/** Events that a follower skipped because they failed. */
export interface SetAside {
  readonly follower: string;
  readonly count: number;
  /** The cause of the last failure. */
  readonly cause: string;
}

/** Counts the events that were set aside in a workspace, by follower. */
export async function eventsSetAside(db: EntityManager, workspaceId: number): Promise<SetAside[]> {
  return sql<SetAside>(db, read, [workspaceId]);
}

const read = {
  name: 'events-set-aside',
  text: `
    SELECT follower, count(*)::integer AS count, (array_agg(cause ORDER BY event_place DESC))[1] AS cause
    FROM events_set_aside WHERE workspace_id = $1 GROUP BY follower ORDER BY follower`,
};
