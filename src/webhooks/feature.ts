import { webhooks } from './webhooks.kind.js';
import { oldDeliveries } from './deliveries.repository.js';
import { delivery } from './delivery.job.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEntity } from './webhook.entity.js';
import { WebhooksModule } from './webhooks.module.js';

const administered = ['webhook.created', 'webhook.updated', 'webhook.deleted'];

export const webhooksFeature = {
  kinds: [webhooks],
  entities: [WebhookEntity, WebhookDeliveryEntity],
  jobs: [delivery],
  leftovers: [oldDeliveries],
  eventTypes: [...administered, 'webhook.disabled'],
  adminEventTypes: administered,
  modules: [WebhooksModule],
};
