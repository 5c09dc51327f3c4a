import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../common/database/leftovers.js';
import { sql } from '../common/database/sql.js';
import { type DeliveryState, deliveryStates } from '../common/column-values.js';
import { type WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { type ClaimedWebhook, waitsInLine, type WebhookKey, webhookLeases } from './due-webhooks.js';
import { type IdPage, pageOfLinks } from '../common/id-page.js';

export type NewDelivery = Readonly<Pick<WebhookDeliveryEntity, 'eventId' | 'eventPlace' | 'type' | 'taskId'>>;

/** The positions in the feed between which a webhook has read events. */
interface ReadStretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Inserts deliveries and moves the webhook's feed position. Returns false if another process has claimed the
 * webhook or moved the position, or if the webhook is not active.
 */
export async function enterDeliveries(
  db: EntityManager,
  claimed: ClaimedWebhook,
  { from, to }: ReadStretch,
  deliveries: readonly NewDelivery[],
  delayMs: number,
): Promise<boolean> {
  const values = [...webhookLeases.claimOf(claimed), from, to, JSON.stringify(deliveries), delayMs];
  return (await sql(db, enter, values)).length > 0;
}

const enter = {
  name: 'enter-webhook-deliveries',
  text: `
    WITH moved AS (
      UPDATE webhooks SET feed_position = $5
      WHERE ${webhookLeases.isClaimed} AND feed_position = $4 AND state = 'active' RETURNING id
    ), entered AS (
      INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_place, type, task_id, next_at)
      SELECT $1, m.id, (e.value ->> 'eventId')::uuid, (e.value ->> 'eventPlace')::bigint, e.value ->> 'type',
        (e.value ->> 'taskId')::bigint, clock_timestamp() + make_interval(secs => $7::numeric / 1000)
      FROM moved m CROSS JOIN json_array_elements($6::json) WITH ORDINALITY e (value, number)
      ORDER BY e.number
    )
    SELECT id FROM moved`,
};

export type DueDelivery = Readonly<
  Pick<
    WebhookDeliveryEntity,
    'place' | 'eventId' | 'eventPlace' | 'type' | 'taskId' | 'isSingle' | 'tries' | 'createdAt'
  >
>;

/** Reads at most `limit` due deliveries in order. Inactive webhooks get only replays and tests. */
export async function dueDeliveries(
  db: EntityManager,
  { workspaceId, id }: WebhookKey,
  limit: number,
): Promise<DueDelivery[]> {
  return sql<DueDelivery>(db, due, [workspaceId, id, limit]);
}

// `(SELECT clock_timestamp())` reads the time once, so that the index scan ends at the last due row.
const due = {
  name: 'due-webhook-deliveries',
  text: `
    SELECT d.place, d.event_id AS "eventId", d.event_place AS "eventPlace", d.type, d.task_id AS "taskId",
      d.is_single AS "isSingle", d.tries, d.created_at AS "createdAt"
    FROM webhooks w CROSS JOIN LATERAL (
      SELECT * FROM webhook_deliveries d
      WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.state = 'pending'
        AND (w.state = 'active' OR d.is_single) AND d.next_at <= (SELECT clock_timestamp())
        AND NOT ${waitsInLine}
      ORDER BY d.next_at, d.place LIMIT $3
    ) d
    WHERE w.workspace_id = $1 AND w.id = $2
    ORDER BY d.place`,
};

export interface TriedDelivery {
  readonly place: string;
  readonly state: WebhookDeliveryEntity['state'];
  readonly status: number | null;
  readonly cause: string | null;
  readonly tookMs: number;
  /** Milliseconds until the next try, if there is one. */
  readonly waitMs: number;
  readonly isFailure: boolean;
}

/** Records a try. Returns whether it disabled the webhook, or undefined if the claim is lost. */
export async function recordTry(
  db: EntityManager,
  claimed: ClaimedWebhook,
  tried: TriedDelivery,
): Promise<{ readonly isDisabled: boolean } | undefined> {
  const values = [...webhookLeases.claimOf(claimed), JSON.stringify(tried), MAX_FAILING_DAYS];
  const [recorded] = await sql<{ isDisabled: boolean }>(db, record, values);
  return recorded;
}

/** A failing webhook is disabled after this many days without a success. */
const MAX_FAILING_DAYS = 5;

const failsForDays = 'w.failing_since < clock_timestamp() - make_interval(days => $5::integer)';

// Checks the claim without a lock on the webhook, so that simultaneous tries do not wait for each other. If
// another process claims the webhook meanwhile, the result counts as written before that claim.
const record = {
  name: 'record-webhook-try',
  text: `
    WITH mine AS MATERIALIZED (SELECT FROM webhooks WHERE ${webhookLeases.isClaimed}), recorded AS (
      UPDATE webhook_deliveries d SET state = t.state, tries = d.tries + 1, status = t.status, cause = t.cause,
        took_ms = t."tookMs",
        next_at = CASE WHEN t.state = 'pending' THEN clock_timestamp() + make_interval(secs => t."waitMs" / 1000) END,
        failed_at = CASE WHEN t."isFailure" THEN COALESCE(d.failed_at, clock_timestamp()) END,
        finished_at = CASE WHEN t.state <> 'pending' THEN clock_timestamp() END
      FROM json_to_record($4::json) t (place bigint, state text, status integer, cause text, "tookMs" integer,
        "waitMs" float8, "isFailure" boolean)
      WHERE d.workspace_id = $1 AND d.place = t.place AND d.state = 'pending' AND EXISTS (SELECT FROM mine)
      RETURNING d.webhook_id, d.is_single, t."isFailure" AS is_failure
    ), told AS (
      UPDATE webhooks w SET
        failing_since = CASE WHEN r.is_failure THEN COALESCE(w.failing_since, clock_timestamp()) END,
        state = CASE WHEN w.state = 'active' AND r.is_failure AND ${failsForDays} THEN 'disabled' ELSE w.state END
      FROM recorded r
      WHERE w.workspace_id = $1 AND w.id = r.webhook_id AND NOT r.is_single
        AND (r.is_failure <> (w.failing_since IS NOT NULL) OR r.is_failure AND ${failsForDays})
      RETURNING w.id, w.state
    ), announced AS (
      INSERT INTO events (workspace_id, type, about)
      SELECT $1, 'webhook.disabled', jsonb_build_object('webhook', id) FROM told WHERE state = 'disabled'
    )
    SELECT EXISTS (SELECT FROM told WHERE state = 'disabled') AS "isDisabled" FROM mine`,
};

/** `id` is the column `place`; the next page starts after the last `id`. `shownId` is the column `id`. */
export type ListedDelivery = Readonly<
  Pick<
    WebhookDeliveryEntity,
    'eventId' | 'type' | 'state' | 'tries' | 'status' | 'cause' | 'tookMs' | 'nextAt' | 'createdAt'
  >
> & { readonly id: string; readonly found: string; readonly shownId: string };

/** Lists deliveries whose place is below `after`, newest first. If `after` is '0', begins with the newest. */
export async function listDeliveries(
  db: EntityManager,
  workspaceId: number,
  { webhookId, state }: { readonly webhookId: string; readonly state: DeliveryState | undefined },
  after: string,
  limit: number,
): Promise<IdPage<ListedDelivery>> {
  const states = state === undefined ? deliveryStates : [state];
  const values = [workspaceId, webhookId, after, limit + 1, states];
  return pageOfLinks(await sql<ListedDelivery>(db, list, values), limit);
}

// Reads the newest deliveries of each state in index order, and selects the newest of all.
const list = {
  name: 'list-webhook-deliveries',
  text: `
    SELECT d.place AS id, d.id AS "shownId", d.event_id AS "eventId", d.type, d.state, d.tries, d.status, d.cause,
      d.took_ms AS "tookMs", d.next_at AS "nextAt", d.created_at AS "createdAt", count(*) OVER () AS found
    FROM (
      SELECT d.* FROM unnest($5::text[]) s (state) CROSS JOIN LATERAL (
        SELECT * FROM webhook_deliveries d
        WHERE d.workspace_id = $1 AND d.webhook_id = $2 AND d.state = s.state
          AND d.place < COALESCE(NULLIF($3::bigint, 0), 9223372036854775807)
        ORDER BY d.place DESC LIMIT $4
      ) d
      ORDER BY d.place DESC LIMIT $4
    ) d
    ORDER BY d.place DESC`,
};

/**
 * Queues the events of the deliveries with these ids for one more try each. If `ids` is undefined, queues the
 * events of all failed deliveries. Returns how many were queued.
 */
export async function replayDeliveries(
  db: EntityManager,
  workspaceId: number,
  webhookId: string,
  ids: readonly string[] | undefined,
): Promise<number> {
  const [row] = await sql<{ replayed: number }>(db, replay, [workspaceId, webhookId, ids]);
  return row?.replayed ?? 0;
}

// Inserts one delivery per event, even if an event had several. Events keep their order; tests come last.
const replay = {
  name: 'replay-webhook-deliveries',
  text: `
    WITH entered AS (
      INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_place, type, task_id, is_single)
      SELECT $1, $2, d.event_id, d.event_place, d.type, d.task_id, true FROM (
        SELECT DISTINCT ON (d.event_id) d.* FROM webhook_deliveries d
        WHERE d.workspace_id = $1 AND d.webhook_id = $2
          AND CASE WHEN $3::text[] IS NULL THEN d.state = 'failed' ELSE d.id = ANY($3) END
        ORDER BY d.event_id, d.place
      ) d ORDER BY d.event_place, d.place
      RETURNING place
    )
    SELECT count(*)::integer AS replayed FROM entered`,
};

export const oldDeliveries: Leftovers = {
  table: 'webhook_deliveries',
  key: 'place',
  isOver: `state <> 'pending' AND finished_at < now() - interval '30 days'`,
  most: 1000,
};
