import { type EntityManager } from 'typeorm';
import { isUnleased, type Leased, Leases } from '../common/database/leases.js';
import { sql } from '../common/database/sql.js';
import { countBy, remembered, type SharedGauge } from '../common/ops/metrics.js';
import { feedEnds, firstBehind, someAreBehind } from '../events/events.repository.js';
import { webhookStates } from './webhook.entity.js';

export const deliveryJob = 'delivery';

export interface WebhookKey {
  readonly workspaceId: number;
  readonly id: string;
}

/** A webhook that this process has claimed. */
export type ClaimedWebhook = Leased<WebhookKey>;

export const webhookLeases = new Leases<WebhookKey>({ table: 'webhooks', key: ['workspaceId', 'id'] });

/** A failing webhook queues at most this many deliveries, and one more each minute. */
const MAX_PENDING = 1000;

/**
 * SQL: how many more deliveries a webhook `w` may queue. A failing webhook with a full queue gets one more
 * each minute, which shows when its receiver works again.
 */
// The ORDER BYs, and BETWEEN instead of `=`, make PostgreSQL read an index in order. Otherwise, PostgreSQL
// would choose a slow plan if one webhook had most deliveries.
export const room = `
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

/** Finds webhooks that no process has claimed and that have due deliveries or unread events. */
export async function dueWebhooks(db: EntityManager): Promise<WebhookKey[]> {
  return sql<WebhookKey>(db, due, []);
}

/**
 * SQL: whether a delivery `d` waits for an earlier, failed delivery of its task. `d` waits for 5 minutes from
 * the first failure. If the next try is due within 10 minutes of the first failure, `d` waits for that try,
 * too. So a receiver that was down for a few minutes gets all events in order.
 */
export const waitsInLine = `(NOT d.is_single AND EXISTS (
        SELECT FROM webhook_deliveries o
        WHERE o.workspace_id = d.workspace_id AND o.webhook_id = d.webhook_id AND o.task_id = d.task_id
          AND o.state = 'pending' AND o.failed_at IS NOT NULL AND o.place < d.place AND NOT o.is_single
          AND (o.failed_at > clock_timestamp() - interval '5 minutes'
            OR o.next_at < o.failed_at + interval '10 minutes')
      ))`;

/**
 * SQL: the due time of the next delivery `d` to the webhook `w`, among those that meet the condition
 * `isMeant`. Reads an index only up to this delivery.
 */
const nextDue = (isMeant: string): string => `(
        SELECT d.next_at FROM webhook_deliveries d
        WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.state = 'pending' AND ${isMeant}
        ORDER BY d.next_at LIMIT 1
      )`;

const due = {
  name: 'due-webhooks',
  scope: 'all workspaces' as const,
  text: `
    WITH feeds AS MATERIALIZED (${feedEnds("webhooks WHERE state = 'active'")})
    SELECT w.workspace_id AS "workspaceId", w.id FROM webhooks w
    LEFT JOIN feeds f ON f.workspace_id = w.workspace_id
    WHERE ${isUnleased}
      AND (w.state = 'active' AND w.feed_position < f.last_position AND (${room}) > 0
        OR ${nextDue(`w.state = 'active' AND d.next_at <= (SELECT clock_timestamp()) AND NOT ${waitsInLine}`)} IS NOT NULL
        OR ${nextDue("w.state <> 'active' AND d.is_single")} <= clock_timestamp())`,
};

/** SQL: the next time at which a webhook has due deliveries or unread events. */
export const nextWebhook = `LEAST(
      CASE WHEN ${someAreBehind('feed_position', "webhooks WHERE state = 'active'")} THEN service_now() END,
      (SELECT service_now(min(LEAST(${nextDue("w.state = 'active'")}, ${nextDue('d.is_single')}))) FROM webhooks w))`;

export function webhookGauges(db: EntityManager): SharedGauge[] {
  const health = remembered(() => webhookHealth(db));
  return [
    {
      name: 'wts_webhooks',
      help: 'Webhooks by state.',
      label: 'state',
      read: () => countBy(db, countWebhooks, webhookStates),
    },
    {
      name: 'wts_webhooks_failing',
      help: 'Active webhooks whose last delivery failed.',
      read: async () => (await health()).failing,
    },
    {
      name: 'wts_deliveries_behind_seconds',
      help: 'How many seconds the oldest unread event or due delivery has waited. Ignores failing webhooks.',
      read: async () => (await health()).behind,
    },
  ];
}

const countWebhooks = {
  name: 'count-webhooks',
  scope: 'no workspace' as const,
  text: 'SELECT state AS value, count(*)::integer AS count FROM webhooks GROUP BY state',
};

interface WebhookHealth {
  /** How many seconds the first unread event or due delivery has waited. Ignores failing webhooks. */
  readonly behind: number;
  readonly failing: number;
}

async function webhookHealth(db: EntityManager): Promise<WebhookHealth> {
  const rows = await sql<WebhookHealth>(db, health, []);
  return {
    behind: Math.max(0, ...rows.map(({ behind }) => behind)),
    failing: rows.reduce((sum, { failing }) => sum + failing, 0),
  };
}

// `behind` ignores failing webhooks, because their delay is the fault of the receivers.
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
