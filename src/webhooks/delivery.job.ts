import { DeliveryRunner } from './delivery-runner.js';
import {
  type ClaimedWebhook,
  deliveryJob,
  dueWebhooks,
  nextWebhook,
  type WebhookKey,
  webhookLeases,
} from './due-webhooks.js';
import { type JobKind, leasedBy } from '../common/ops/job-kind.js';

/** Delivers the events of a webhook. Only one process at a time sends to a webhook, to keep the order. */
export const delivery: JobKind<WebhookKey, ClaimedWebhook> = {
  name: deliveryJob,
  next: nextWebhook,
  places: 256,
  // Slow receivers block places, so one workspace gets at most half of them.
  shares: { ofWorkspace: 128 },
  isOutbound: true,
  ...leasedBy(webhookLeases),
  due: ({ db }) => dueWebhooks(db),
  run: (parts, claimed, place) => parts.provider(DeliveryRunner).run(claimed, place),
};
