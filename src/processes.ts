import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { acquireEmbeddedPostgres } from '../packages/local-postgres/local-postgres.js';
import { openThrowAwayFolder } from './attachments/stores/folder-store.js';
import { type Config, embeddedUrl } from './config.js';
import { type Logger } from './lib/logger.js';
import { stopOnSignal } from './lib/program.js';
import { holdPort } from './ops/listen.js';
import { MetricsServer } from './ops/metrics-server.js';
import { SummedMetrics } from './ops/process-metrics.js';
import { EndedEarly, retire, up } from './process-messages.js';
import { type ChildProcess } from 'node:child_process';

/**
 * Starts several processes that share one port, and supervises them: a process that ends is replaced, SIGHUP replaces
 * all in turn, SIGINT and SIGTERM stop all. This process owns what exists only once: the embedded PostgreSQL,
 * /metrics, and the counts of rate limits.
 */
export async function startProcesses(config: Config, count: number, logger: Logger): Promise<void> {
  let hasStarted = false;
  process.on('SIGHUP', () => {
    if (hasStarted) void processes.replaceAll();
  });
  const shared = await openShared(config, logger);
  const metrics = new SummedMetrics();
  const server = new MetricsServer(metrics, config.host, config.metricsPort);
  const processes = new Processes(shared.environment, config.drainMs, metrics, logger);
  const close = async (): Promise<void> => {
    await server.onApplicationShutdown();
    await shared.close();
  };
  stopOnSignal(logger, async (hurry) => {
    const begun = performance.now();
    await processes.stop(hurry);
    await close();
    logger.info({ ms: Math.round(performance.now() - begun) }, 'stopped');
  });
  try {
    const greeting = await processes.startAll(count, () => server.listen());
    hasStarted = true;
    process.stdout.write(greeting);
  } catch (error) {
    if (processes.isStopping()) return;
    await processes.stop(new AbortController().signal);
    await close();
    if (error instanceof EndedEarly && error.signal === null) process.exit(1);
    throw error;
  }
}

/** Resources that all processes share, and the environment that tells them about these. */
interface Shared {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function openShared(config: Config, logger: Logger): Promise<Shared> {
  const { databaseUrl, dataDir, ephemeral, rateLimit, redisUrl } = config;
  const log = (line: string): void => { logger.warn(line); }; // prettier-ignore
  if (rateLimit > 0 && redisUrl === undefined) new RateLimiterClusterMaster();
  const folder = ephemeral && config.blobStore === undefined ? await openThrowAwayFolder() : undefined;
  const embedded =
    databaseUrl === undefined ? await acquireEmbeddedPostgres({ dataDir, ephemeral, log }) : undefined;
  const close = async (): Promise<void> => {
    await embedded?.release();
    await folder?.close();
  };
  try {
    await embedded?.claimServer();
    const environment = {
      ...(folder && { WTS_BLOB_STORE: folder.path }),
      ...(embedded && { [embeddedUrl]: embedded.url }),
      ...(config.port === 0 && { PORT: await freePort(config.host) }),
    };
    return { environment, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Chooses one port for all processes; otherwise each would choose its own. */
async function freePort(host: string): Promise<string> {
  const held = await holdPort(host);
  await held.release();
  return String(held.port);
}

/** A process that is ready, or starting. */
interface Child {
  readonly worker: Worker;
  readonly ended: Promise<unknown>;
  readonly begun: number;
  /** How many of its predecessors in a row ended soon after their start. */
  readonly failures: number;
  /** Whether it is not replaced when it ends. */
  isLeaving: boolean;
}

class Processes {
  private readonly children = new Set<Child>();
  private readonly stopping = new AbortController();
  /** Requests to replace all processes since the replacement under way began, that one included. */
  private asked = 0;

  constructor(
    private readonly environment: Readonly<Record<string, string>>,
    private readonly drainMs: number,
    private readonly metrics: SummedMetrics,
    private readonly logger: Logger,
  ) {}

  isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /**
   * Starts the first process, which runs the migrations and prints the reason if it cannot start, and then the
   * others. Returns the greeting of the service.
   */
  async startAll(count: number, afterFirst: () => Promise<void>): Promise<string> {
    const first = this.fork();
    const greeting = await this.up(first);
    this.keep(first);
    await afterFirst();
    const others = Array.from({ length: count - 1 }, () => this.fork());
    for (const each of others) this.keep(each);
    await Promise.allSettled(others.map((each) => this.up(each)));
    return greeting;
  }

  /** Replaces each process in turn; repeats that once if it is asked for meanwhile. */
  async replaceAll(): Promise<void> {
    this.asked += 1;
    if (this.asked > 1) return;
    await this.replaceEach();
    const isAskedAgain = this.asked > 1;
    this.asked = 0;
    if (isAskedAgain) await this.replaceAll();
  }

  /** Stops all processes in order; `hurry` tells them to be quick. */
  async stop(hurry: AbortSignal): Promise<void> {
    this.stopping.abort();
    const signal = (): void => {
      for (const { worker } of this.children) worker.process.kill('SIGTERM');
    };
    hurry.addEventListener('abort', signal);
    signal();
    await Promise.all([...this.children].map((child) => this.end(child)));
  }

  private fork(failures = 0): Child {
    const worker = cluster.fork(this.environment);
    // A message was not delivered: the end of the process tells the reason.
    worker.on('error', () => undefined);
    closeLostConnections(worker.process);
    const child = {
      worker,
      ended: once(worker, 'exit'),
      begun: performance.now(),
      failures,
      isLeaving: false,
    };
    this.children.add(child);
    worker.once('exit', () => this.children.delete(child));
    return child;
  }

  private async up({ worker }: Child): Promise<string> {
    const greeting = await up(worker);
    this.metrics.add(worker.process);
    this.logger.info({ pid: worker.process.pid }, 'process started');
    return greeting;
  }

  /** Replaces the process when it ends, unless it was told to. */
  private keep(child: Child): void {
    void child.ended.then(() => this.startAgain(child));
  }

  private async startAgain({ worker, begun, failures, isLeaving }: Child): Promise<void> {
    if (isLeaving || this.isStopping()) return;
    const again = performance.now() - begun < STABLE_MS ? failures + 1 : 0;
    const pauseMs = again === 0 ? 0 : Math.min(1000 * 2 ** (again - 1), MAX_PAUSE_MS);
    const { pid, exitCode, signalCode } = worker.process;
    const what = { pid, code: exitCode ?? undefined, signal: signalCode ?? undefined, pause_ms: pauseMs };
    this.logger.error(what, 'process ended; starting another one');
    await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    if (this.isStopping()) return;
    const child = this.fork(again);
    this.keep(child);
    await this.up(child).catch(() => undefined);
  }

  private async replaceEach(): Promise<void> {
    const begun = performance.now();
    this.logger.info('replacing all processes');
    try {
      for (const child of [...this.children]) await this.replace(child);
      this.logger.info({ ms: Math.round(performance.now() - begun) }, 'replaced all processes');
    } catch (error) {
      if (!this.isStopping())
        this.logger.error({ err: error }, 'kept the old processes: a new one did not start');
    }
  }

  private async replace(old: Child): Promise<void> {
    old.isLeaving = true;
    const child = this.fork();
    try {
      await this.up(child);
    } catch (error) {
      old.isLeaving = false;
      if (!this.children.has(old)) void this.startAgain(old);
      throw error;
    }
    this.keep(child);
    if (!this.children.has(old)) return;
    retire(old.worker);
    await this.end(old);
  }

  /** Resolves when the process has ended; kills it if it takes too long. */
  private async end({ worker, ended }: Child): Promise<void> {
    const late = setTimeout(() => worker.process.kill('SIGKILL'), this.drainMs + STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  }
}

/** A process that lived this long did not fail at its start. */
const STABLE_MS = 10_000;
const MAX_PAUSE_MS = 30_000;
/** Longer than a replaced process needs to end. */
const STOP_TIMEOUT_MS = 75_000;

/**
 * Closes connections that were being handed to a process of the cluster when it ended: Node.js forgets them, and
 * their clients would wait for ever. Relies on undocumented messages; if they change, nothing is closed.
 */
function closeLostConnections(child: ChildProcess): void {
  const underWay = new Map<unknown, Handle>();
  const send: unknown = Reflect.get(child, 'send');
  if (typeof send !== 'function') return;
  const noteAndSend = (...given: readonly unknown[]): unknown => {
    const [message, handle] = given;
    if (valueOf(message, 'act') === 'newconn' && isHandle(handle))
      underWay.set(valueOf(message, 'seq'), handle);
    const isSent: unknown = Reflect.apply(send, child, given);
    return isSent;
  };
  Reflect.set(child, 'send', noteAndSend);
  child.on('internalMessage', (message: unknown) => underWay.delete(valueOf(message, 'ack')));
  child.once('exit', () => {
    for (const handle of underWay.values()) handle.close();
  });
}

interface Handle {
  close(): void;
}

const isHandle = (value: unknown): value is Handle => typeof valueOf(value, 'close') === 'function';
const valueOf = (message: unknown, key: string): unknown => Reflect.get(Object(message), key);
