import { type EntityManager, In } from 'typeorm';
import { endOfFeed } from '../events/events.repository.js';
import { sql } from '../common/database/sql.js';
import { WebhookEntity } from './webhook.entity.js';
import { type Target } from './send-delivery.js';
import { room, type WebhookKey } from './due-webhooks.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';

/** Reads the webhooks of a workspace: first those of the definition, in the definition's order. */
export async function findWebhooks(db: EntityManager, workspaceId: number): Promise<WebhookEntity[]> {
  return db.find(WebhookEntity, {
    where: { workspaceId },
    order: { managedBy: 'DESC', position: 'ASC', id: 'ASC' },
  });
}

export type Subscription = Pick<
  WebhookEntity,
  'workspaceId' | 'id' | 'events' | 'workflows' | 'when' | 'beginsAt'
>;

export type SentWebhook = Subscription &
  Target & {
    readonly feedPosition: number;
    /** How many more deliveries the webhook may queue. */
    readonly room: number;
  };

/** Reads a webhook and its secrets. Returns undefined if the webhook was removed. */
export async function webhookToSend(
  db: EntityManager,
  { workspaceId, id }: WebhookKey,
): Promise<SentWebhook | undefined> {
  const [found] = await sql<SentRow>(db, sent, [workspaceId, id]);
  if (!found) return undefined;
  const { secret, formerSecret, ...row } = found;
  return { ...row, secrets: formerSecret ? [secret, formerSecret] : [secret] };
}

type SentRow = Omit<SentWebhook, 'secrets'> & {
  readonly secret: Buffer;
  readonly formerSecret: Buffer | null;
};

const sent = {
  name: 'webhook-to-send',
  text: `
    SELECT w.workspace_id AS "workspaceId", s.slug AS workspace, w.id, w.url, w.events, w.workflows,
      w."when", w.headers, w.begins_at AS "beginsAt", w.feed_position::float8 AS "feedPosition", w.secret,
      CASE WHEN w.state = 'active' THEN (${room})::integer ELSE 0 END AS room,
      CASE WHEN w.former_secret_until > clock_timestamp() THEN w.former_secret END AS "formerSecret"
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.workspace_id = $1 AND w.id = $2`,
};

/** Creates a new secret. The old secret also signs deliveries for 24 hours. */
export async function rotateSecret(tx: EntityManager, key: WebhookKey): Promise<void> {
  await tx.update(WebhookEntity, key, {
    formerSecret: () => 'secret',
    formerSecretUntil: () => "clock_timestamp() + interval '24 hours'",
    secret: () => 'uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())',
  });
}

/** Makes a webhook active, and makes its pending deliveries due at once. */
export async function resumeWebhook(tx: EntityManager, key: WebhookKey): Promise<void> {
  const pending = { workspaceId: key.workspaceId, webhookId: key.id, state: 'pending' } as const;
  await tx.update(WebhookEntity, key, { state: 'active', failingSince: null });
  await tx.update(WebhookDeliveryEntity, pending, {
    nextAt: () => 'clock_timestamp()',
    tries: 0,
    failedAt: null,
  });
}

/** Makes new webhooks begin at the end of the feed, so that they receive no earlier events. */
export async function beginWebhooks(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  const feedPosition = String(await endOfFeed(db, workspaceId));
  await db.update(
    WebhookEntity,
    { workspaceId, id: In(ids) },
    { beginsAt: () => 'service_now()', feedPosition },
  );
}
