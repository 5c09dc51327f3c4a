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

/** Delivers the events of a webhook. One process at a time sends to it, so that its deliveries keep their order. */
export const delivery: JobKind<WebhookKey, ClaimedWebhook> = {
  name: deliveryJob,
  next: nextWebhook,
  places: 256,
  // Receivers that hang block places, so one workspace gets half of them.
  shares: { ofWorkspace: 128 },
  isOutbound: true,
  ...leasedBy(webhookLeases),
  due: ({ db }) => dueWebhooks(db),
  run: (parts, claimed, place) => parts.provider(DeliveryRunner).run(claimed, place),
};
