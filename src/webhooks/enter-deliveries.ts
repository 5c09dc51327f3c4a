import { type EntityManager } from 'typeorm';
import { enterDeliveries, type NewDelivery } from './deliveries.repository.js';
import { type ClaimedReceiver, roomOf } from './receivers.repository.js';
import { isMeant } from './selection.js';
import { type WebhookFeed } from './webhook-feed.js';
import { type SentWebhook } from './webhooks.repository.js';

/** Enters deliveries of the next events for the webhooks of a receiver; false if no webhook moved on. */
export async function enterNextDeliveries(
  db: EntityManager,
  feed: WebhookFeed,
  receiver: ClaimedReceiver,
  webhooks: readonly SentWebhook[],
  delayMs: number,
): Promise<boolean> {
  const room = await roomOf(db, receiver);
  const moved = await Promise.all(
    webhooks.map(async (webhook) => {
      const { id: webhookId, feedPosition: from } = webhook;
      const { to, meant } = await readOn(db, feed, webhook, room.get(webhookId) ?? 0);
      return to !== from && enterDeliveries(db, receiver, { webhookId, from, to }, meant, delayMs);
    }),
  );
  return moved.includes(true);
}

/** The deliveries of a webhook for the next events, at most `room`, and the position after these events. */
async function readOn(
  db: EntityManager,
  feed: WebhookFeed,
  webhook: SentWebhook,
  room: number,
): Promise<{ readonly to: number; readonly meant: readonly NewDelivery[] }> {
  const { workspaceId, feedPosition } = webhook;
  if (room === 0) return { to: feedPosition, meant: [] };
  const { rows, names } = await feed.read(workspaceId, feedPosition, webhook.events);
  const meant: NewDelivery[] = [];
  for (const { position, event } of rows) {
    if (!event || !(await isMeant(db, webhook, event, names))) continue;
    const { id: eventId, place: eventPlace, type, taskId } = event;
    meant.push({ eventId, eventPlace, type, taskId });
    if (meant.length === room) return { to: position, meant };
  }
  return { to: rows.at(-1)?.position ?? feedPosition, meant };
}
