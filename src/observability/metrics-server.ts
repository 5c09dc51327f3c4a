import createApplication from 'express';
import { once } from 'node:events';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- it lets others in, and asks nobody
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type OnApplicationShutdown } from '@nestjs/common';
import { listen } from './listen.js';
import { type Metrics } from './metrics.js';

/** Shows the metrics under /metrics on a port of their own, without a key; on none where no port is given. */
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly host: string,
    private readonly askedPort: number | undefined,
  ) {}

  /** The port that it listens on. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Begins; throws one sentence where it cannot. */
  async listen(): Promise<void> {
    if (this.askedPort === undefined) return;
    this.metrics.measureProcess();
    const application = createApplication().disable('x-powered-by');
    application.get('/metrics', async (_, response) => {
      response.set('Content-Type', this.metrics.contentType).end(await this.metrics.text());
    });
    this.server = createServer(application);
    await listen(this.server, { host: this.host, port: this.askedPort, variable: 'WTS_METRICS_PORT' });
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server?.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
