import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Queue } from 'bull';
import { QUEUE } from './bell.js';
import { QueueConnections } from './queue-options.js';

/** Closes the queue before the process ends, whether or not Redis answers. */
@Injectable()
export class QueueCloser implements BeforeApplicationShutdown {
  constructor(
    @Inject(QUEUE) private readonly queue: Queue,
    private readonly connections: QueueConnections,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => (late = setTimeout(resolve, patienceMs)));
    await Promise.race([this.queue.close().catch(() => undefined), isLate]);
    clearTimeout(late);
    this.connections.disconnect();
  }
}

const patienceMs = 5000;
