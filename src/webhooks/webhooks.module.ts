import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookEntity } from './webhook.entity.js';
import { EventsModule } from '../events/events.module.js';
import { DeliveryRunner } from './delivery-runner.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [EventsModule, TypeOrmModule.forFeature([WebhookEntity])],
  controllers: [WebhooksController],
  providers: [DeliveryRunner, WebhookMetrics, WebhooksService],
  exports: [WebhooksService],
})
export class WebhooksModule {}
