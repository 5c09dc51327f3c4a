import { type OnApplicationShutdown } from '@nestjs/common';
import createApplication from 'express';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { inTurn, limitConnections } from './connections.js';
import { answerRawRequests } from './edge.js';
import { listen } from './listen.js';
import { type Metrics } from './metrics.js';

/** Serves /metrics on its own port, without a key; does nothing if no port is set. */
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: Pick<Metrics, 'contentType' | 'text'>,
    private readonly host: string,
    private readonly askedPort: number | undefined,
  ) {}

  /** The port that it listens on. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Starts to listen; throws one sentence if it cannot. */
  async listen(): Promise<void> {
    if (this.askedPort === undefined) return;
    const application = createApplication().disable('x-powered-by').use(inTurn);
    application.get('/metrics', async (_, response) => {
      response.set('Content-Type', this.metrics.contentType).end(await this.metrics.text());
    });
    this.server = createServer(application);
    limitConnections(this.server);
    answerRawRequests(this.server, application);
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
