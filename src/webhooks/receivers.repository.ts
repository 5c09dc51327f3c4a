import { type EntityManager } from 'typeorm';
import { type Leased, Leases, leaseOf } from '../database/leases.js';
import { sql } from '../database/sql.js';
import { feedEnds, firstBehind } from '../events/events.repository.js';

/** What the doorbell calls receivers to which there is something to send. */
export const deliveryJob = 'delivery';

/** What webhooks of a workspace lead to: one origin. */
export interface ReceiverKey {
  readonly workspaceId: number;
  readonly origin: string;
}

/** A receiver that belongs to this process until its lease ends; it is written under this fence only. */
export type ClaimedReceiver = Leased<ReceiverKey>;

export const receiverLeases = new Leases<ReceiverKey>({
  table: 'webhook_receivers',
  columns: [
    ['workspaceId', 'workspace_id'],
    ['origin', 'origin'],
  ],
  claim: `
    INSERT INTO webhook_receivers AS r (workspace_id, origin, fence, lease_until)
    VALUES ($1, $2, 1, ${leaseOf(3)})
    ON CONFLICT (workspace_id, origin) DO UPDATE SET fence = r.fence + 1, lease_until = excluded.lease_until
    WHERE r.lease_until IS NULL OR r.lease_until < clock_timestamp()
    RETURNING r.fence`,
});

/** That the receiver ($1 and $2) still belongs to whoever claimed it under the fence $3, until the statement ends. */
export const stillMine = `
  SELECT FROM webhook_receivers WHERE ${receiverLeases.isClaimed} FOR SHARE`;

/** Of a webhook at which nothing succeeds so many deliveries are pending, and one more each minute; the rest waits in the feed. */
const MAX_PENDING = 1000;

/** How many deliveries more may be entered for a webhook `w`. What is entered each minute finds out whether it is there again. */
// The orders, and a range in place of one state, leave one index to choose: statistics mislead where one webhook has most
// of all deliveries.
const room = `
  CASE WHEN w.failing_since IS NULL THEN 2147483647 ELSE GREATEST(
    ${MAX_PENDING} - (SELECT count(*) FROM (
      SELECT FROM webhook_deliveries d
      WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.state = 'pending'
      ORDER BY d.next_at LIMIT ${MAX_PENDING}
    ) d),
    (SELECT count(*) FROM (
      SELECT max(d.created_at) AS created_at FROM unnest(ARRAY['pending', 'delivered', 'failed']) s (state)
      CROSS JOIN LATERAL (
        SELECT d.created_at FROM webhook_deliveries d
        WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.state BETWEEN s.state AND s.state
        ORDER BY d.state DESC, d.place DESC LIMIT 1
      ) d
    ) d WHERE d.created_at < clock_timestamp() - interval '1 minute')
  ) END`;

/** How many deliveries more may be entered for each webhook of a receiver that is active. */
export async function roomOf(
  db: EntityManager,
  { workspaceId, origin }: ReceiverKey,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ id: string; room: number }>(db, readRoom, [workspaceId, origin]);
  return new Map(rows.map(({ id, room }) => [id, room]));
}

const readRoom = {
  name: 'room-of-webhooks',
  text: `
    SELECT w.id, (${room})::integer AS room FROM webhooks w
    WHERE w.workspace_id = $1 AND w.origin = $2 AND w.state = 'active'`,
};

/** The receivers that there is something to send to, or events to look at for, and that no process has. */
export async function dueReceivers(db: EntityManager): Promise<ReceiverKey[]> {
  return sql<ReceiverKey>(db, due, []);
}

/** When the next delivery to a webhook `w` is due, of those that this is true of: the first of an index, whatever else waits. */
const nextDue = (isMeant: string): string => `(
        SELECT d.next_at FROM webhook_deliveries d
        WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.state = 'pending' AND ${isMeant}
        ORDER BY d.next_at LIMIT 1
      )`;

const due = {
  name: 'due-webhook-receivers',
  scope: 'all workspaces' as const,
  text: `
    WITH feeds AS MATERIALIZED (${feedEnds("webhooks WHERE state = 'active'")})
    SELECT DISTINCT w.workspace_id AS "workspaceId", w.origin FROM webhooks w
    LEFT JOIN feeds f ON f.workspace_id = w.workspace_id
    WHERE NOT EXISTS (
        SELECT FROM webhook_receivers r
        WHERE r.workspace_id = w.workspace_id AND r.origin = w.origin AND r.lease_until > clock_timestamp()
      )
      AND (w.state = 'active' AND w.feed_position < f.last_position AND (${room}) > 0
        OR ${nextDue("w.state = 'active'")} <= clock_timestamp()
        OR ${nextDue("w.state <> 'active' AND d.is_single")} <= clock_timestamp())`,
};

/** How active webhooks are doing. */
export interface WebhookHealth {
  /** For how many seconds the oldest event or delivery has been due that nobody has tried; of webhooks that do not fail. */
  readonly behind: number;
  /** How many there are at which nothing succeeds. */
  readonly failing: number;
}

/** How the active webhooks of all workspaces are doing. */
export async function webhookHealth(db: EntityManager): Promise<WebhookHealth> {
  const rows = await sql<WebhookHealth>(db, health, []);
  return {
    behind: Math.max(0, ...rows.map(({ behind }) => behind)),
    failing: rows.reduce((sum, { failing }) => sum + failing, 0),
  };
}

// What stands behind one that fails waits for its receiver, not for us.
const health = {
  name: 'health-of-webhooks',
  scope: 'all workspaces' as const,
  text: `
    WITH feeds AS MATERIALIZED (${feedEnds("webhooks WHERE state = 'active'")}), waiting AS (
      SELECT w.failing_since, CASE WHEN w.feed_position < f.last_position THEN ${firstBehind('w.feed_position')} END AS told,
        ${nextDue("w.state = 'active'")} AS due
      FROM webhooks w JOIN feeds f ON f.workspace_id = w.workspace_id WHERE w.state = 'active'
    )
    SELECT count(failing_since)::integer AS failing, GREATEST(
        EXTRACT(epoch FROM service_now() - min(told) FILTER (WHERE failing_since IS NULL)),
        EXTRACT(epoch FROM clock_timestamp() - min(due) FILTER (WHERE failing_since IS NULL)), 0
      )::float8 AS behind
    FROM waiting`,
};
