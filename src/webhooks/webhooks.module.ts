import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { type Config } from '../config.js';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity.js';
import { WebhookReceiverEntity } from '../entities/webhook-receiver.entity.js';
import { WebhookEntity } from '../entities/webhook.entity.js';
import { SecretsModule } from '../executions/secrets.module.js';
import { withQueue } from '../jobs/with-queue.js';
import { DeliverySweeper } from './delivery-sweeper.js';
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
  providers: [DeliverySweeper, WebhookFeed, WebhookMetrics, WebhookQueue, WebhookSender, WebhooksService],
  exports: [WebhooksService],
})
export class WebhooksModule {
  static on(config: Config): Promise<DynamicModule> {
    const processor = async (): Promise<Type> => (await import('./webhooks.processor.js')).WebhooksProcessor;
    return withQueue(WebhooksModule, { name: webhooksQueue, token: WEBHOOK_QUEUE, processor }, config);
  }
}
