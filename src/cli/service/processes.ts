import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { acquireEmbeddedPostgres } from '../../../packages/local-postgres/local-postgres.js';
import { openThrowAwayFolder } from '../../attachments/stores/folder-store.js';
import { type Config, embeddedUrl } from '../../config.js';
import { type Logger } from '../../common/logger.js';
import { stopOnSignal } from '../../common/program.js';
import { freePort } from '../../common/ops/listen.js';
import { MetricsServer } from '../../common/ops/metrics-server.js';

/**
 * Starts several processes that share one port, restarts processes that end, and stops all on SIGINT and
 * SIGTERM. The parent process owns what exists only once: the embedded PostgreSQL, /metrics, and the counts
 * of rate limits.
 */
export async function startProcesses(config: Config, count: number, logger: Logger): Promise<void> {
  const shared = await openShared(config, logger);
  const workers = new Workers(shared.environment, config.drainMs, logger);
  const registry = new AggregatorRegistry();
  const metrics = new MetricsServer(() => registry.clusterMetrics(), config);
  const stop = async (): Promise<void> => {
    await workers.stop();
    await metrics.onApplicationShutdown();
    await shared.close();
  };
  stopOnSignal(logger, stop);
  try {
    await workers.startFirst();
    await metrics.listen();
    for (let number = 1; number < count; number++) workers.start();
  } catch (error) {
    if (workers.isStopping) return;
    await stop();
    throw error;
  }
}

class Workers {
  isStopping = false;

  constructor(
    private readonly environment: Readonly<Record<string, string>>,
    private readonly drainMs: number,
    private readonly logger: Logger,
  ) {}

  /** Starts the first process, which runs the migrations and prints the reason if it cannot start. */
  async startFirst(): Promise<void> {
    const worker = this.fork();
    const ended = once(worker, 'exit').then(() => {
      throw new Error('The service did not start.');
    });
    await Promise.race([once(worker, 'listening'), ended]);
    this.keep(worker);
  }

  start(): void {
    if (!this.isStopping) this.keep(this.fork());
  }

  /** Stops all processes; kills those that take too long. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const all = Object.values(cluster.workers ?? {});
    const running = all.flatMap((worker) => (worker?.isDead() === false ? worker : []));
    const signal = (name: NodeJS.Signals): void => {
      for (const worker of running) worker.process.kill(name);
    };
    const ended = Promise.all(running.map((worker) => once(worker, 'exit')));
    signal('SIGTERM');
    const late = setTimeout(signal, 2 * this.drainMs + STOP_TIMEOUT_MS, 'SIGKILL');
    await ended;
    clearTimeout(late);
  }

  private fork(): Worker {
    const worker = cluster.fork(this.environment);
    worker.once('listening', () => { this.logger.info({ pid: worker.process.pid }, 'process started'); }); // prettier-ignore
    return worker;
  }

  private keep(worker: Worker): void {
    worker.once('exit', (code, signal) => {
      if (this.isStopping) return;
      this.logger.error({ pid: worker.process.pid, code, signal }, 'process ended; starting another one');
      setTimeout(() => { this.start(); }, RESTART_PAUSE_MS); // prettier-ignore
    });
  }
}

const RESTART_PAUSE_MS = 1000;
/** How long a process may take to stop after it has drained its connections, in milliseconds. */
const STOP_TIMEOUT_MS = 25_000;

/** Resources that all processes share, and the environment variables that describe them. */
interface Shared {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function openShared(config: Config, logger: Logger): Promise<Shared> {
  const { host, port, databaseUrl, dataDir, ephemeral, rateLimit, redisUrl } = config;
  const log = (line: string): void => { logger.warn(line); }; // prettier-ignore
  if (rateLimit > 0 && redisUrl === undefined) new RateLimiterClusterMaster();
  const folder = ephemeral ? await openThrowAwayFolder() : undefined;
  const embedded =
    databaseUrl === undefined ? await acquireEmbeddedPostgres({ dataDir, ephemeral, log }) : undefined;
  const close = async (): Promise<void> => {
    await embedded?.release();
    await folder?.close();
  };
  try {
    const environment = {
      ...(folder && { WTS_DATA_DIR: folder.path }),
      ...(embedded && { [embeddedUrl]: embedded.url }),
      PORT: String(port === 0 ? await freePort(host) : port),
    };
    return { environment, close };
  } catch (error) {
    await close();
    throw error;
  }
}
