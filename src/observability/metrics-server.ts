import createApplication from 'express';
import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Metrics } from './metrics.js';

/** Shows the metrics under /metrics on a port of their own, without a key; on none where no port is given. */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly askedPort: number | undefined,
  ) {}

  /** The port that it listens on. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.askedPort === undefined) return;
    this.metrics.measureProcess();
    const application = createApplication().disable('x-powered-by');
    application.get('/metrics', async (_, response) => {
      response.set('Content-Type', this.metrics.contentType).end(await this.metrics.text());
    });
    this.server = application.listen(this.askedPort);
    await once(this.server, 'listening');
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
