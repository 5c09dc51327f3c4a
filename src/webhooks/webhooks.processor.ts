import { Process, Processor } from '@nestjs/bull';
import { type Job } from 'bull';
import { type ReceiverKey } from './receivers.repository.js';
import { webhooksQueue } from './webhook-queue.js';
import { WebhookSender } from './webhook-sender.js';

/** Hears by way of Redis that there is something to send. */
@Processor(webhooksQueue)
export class WebhooksProcessor {
  constructor(private readonly sender: WebhookSender) {}

  @Process()
  send({ data }: Job<ReceiverKey>): void {
    this.sender.begin(data);
  }
}
