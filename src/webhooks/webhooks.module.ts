import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookEntity } from './webhook.entity.js';
import { EventsModule } from '../events/events.module.js';
import { DeliveryRunner, delivery } from './delivery.job.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';
import { webhooks } from './webhooks.kind.js';
import { oldDeliveries } from './deliveries.repository.js';
import { webhookGauges } from './due-webhooks.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';

@Module({
  imports: [EventsModule, TypeOrmModule.forFeature([WebhookEntity])],
  controllers: [WebhooksController],
  providers: [DeliveryRunner, WebhooksService],
  exports: [WebhooksService],
})
export class WebhooksModule {}

const administered = ['webhook.created', 'webhook.updated', 'webhook.deleted'];

export const webhooksFeature = {
  kinds: [webhooks],
  entities: [WebhookEntity, WebhookDeliveryEntity],
  jobs: [delivery],
  leftovers: [oldDeliveries],
  gauges: webhookGauges,
  eventTypes: [...administered, 'webhook.disabled'],
  adminEventTypes: administered,
  modules: [WebhooksModule],
};
