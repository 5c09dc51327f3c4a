import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { type Config } from '../config.js';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity.js';
import { WebhookReceiverEntity } from '../entities/webhook-receiver.entity.js';
import { WebhookEntity } from '../entities/webhook.entity.js';
import { SecretsModule } from '../executions/secrets.module.js';
import { WebhookFeed } from './webhook-feed.js';
import { WEBHOOK_QUEUE, WebhookQueue, webhooksQueue } from './webhook-queue.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhooksService } from './webhooks.service.js';

/** Who is told of events, and the telling. */
@Module({
  imports: [
    AttachmentsModule,
    SecretsModule,
    TypeOrmModule.forFeature([WebhookEntity, WebhookReceiverEntity, WebhookDeliveryEntity]),
  ],
  controllers: [WebhooksController],
  providers: [WebhookFeed, WebhookMetrics, WebhookQueue, WebhookSender, WebhooksService],
  exports: [WebhooksService],
})
export class WebhooksModule {
  /** With a queue where there is a Redis; else Bull is not even loaded. */
  static async on({ redisUrl, role }: Config): Promise<DynamicModule> {
    if (redisUrl === undefined) return { module: WebhooksModule };
    const { queueParts } = await import('../jobs/bull.js');
    const { WebhooksProcessor } = await import('./webhooks.processor.js');
    const kind = { name: webhooksQueue, token: WEBHOOK_QUEUE, processor: WebhooksProcessor };
    return { module: WebhooksModule, ...queueParts(kind, redisUrl, role) };
  }
}
