import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Queue } from 'bull';
import { CONFIG, type Config } from '../config.js';
import { JobQueue } from '../jobs/job-queue.js';
import { Health } from '../ops/health.js';
import { type ReceiverKey } from './receivers.repository.js';

/** The name of the queue. */
export const webhooksQueue = 'webhooks';

/** What the queue is injected by, where there is a Redis. */
export const WEBHOOK_QUEUE = Symbol('WEBHOOK_QUEUE');

/** Tells the workers of all processes that there is something to send to a receiver. */
@Injectable()
export class WebhookQueue extends JobQueue<ReceiverKey> {
  constructor(
    @Optional() @Inject(WEBHOOK_QUEUE) queue: Queue<ReceiverKey> | undefined,
    @Inject(CONFIG) { role }: Config,
    health: Health,
  ) {
    super(queue, role, health, 'webhooks');
  }
}
