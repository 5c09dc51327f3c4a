import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type FeedPosition } from './events.repository.js';

/** SQL for a standby: a position after all events that are older than `seconds`; undefined if some have no position. */
export async function settledEnd(
  db: EntityManager,
  workspaceId: number,
  seconds: number,
): Promise<FeedPosition | undefined> {
  const [end] = await sql<FeedPosition>(db, settled, [workspaceId, seconds]);
  return end;
}

const oldOnes = `SELECT FROM events e
        WHERE e.workspace_id = $1 AND e.happened_at < service_now() - make_interval(secs => $2) AND`;

const settled = {
  name: 'settled-end',
  text: `
    SELECT s.last_position::float8 AS position, COALESCE(c.tag, s.dropped_tag, 0) AS tag FROM event_streams s
    LEFT JOIN event_chunks c ON c.workspace_id = $1 AND c.last_position = s.last_position
    WHERE s.workspace_id = $1
      AND s.cluster = (SELECT system_identifier FROM pg_control_system())::text || '/' || 'events'::regclass::oid
      AND NOT EXISTS (${oldOnes} e.tx >= pg_snapshot_xmax(s.seen::pg_snapshot)::text::bigint)
      AND NOT EXISTS (${oldOnes} e.tx = ANY(ARRAY(SELECT x::text::bigint FROM pg_snapshot_xip(s.seen::pg_snapshot) x)))`,
};
