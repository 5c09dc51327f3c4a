import { type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { type Config } from '../../config.js';
import { listen } from './listen.js';

/** Serves /metrics on a port of its own, without a key; does nothing if no port is set. */
export class MetricsServer implements OnApplicationShutdown {
  private readonly server: Server;

  constructor(
    read: () => Promise<string>,
    private readonly config: Pick<Config, 'host' | 'metricsPort'>,
  ) {
    this.server = createServer((request, response) => {
      if (request.url !== '/metrics') response.writeHead(404).end();
      else
        read().then(
          (text) => response.setHeader('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE).end(text),
          () => response.writeHead(503).end(),
        );
    });
  }

  get port(): number | undefined {
    return (this.server.address() as AddressInfo | null)?.port;
  }

  /** Listens if a port is set. Throws if that fails, as `listen` does. */
  async listen(): Promise<void> {
    const { host, metricsPort: port } = this.config;
    if (port !== undefined) await listen(this.server, { host, port, variable: 'WTS_METRICS_PORT' });
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
