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
 * Starts so many processes that share one port, and watches over them: one that ends is replaced, SIGHUP replaces all
 * one by one, SIGINT and SIGTERM stop all. Things that exist once belong to this process: the embedded PostgreSQL,
 * /metrics, the counts of a rate limit.
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

/** What all processes have together: in their environment what they need to know of it. */
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

/** One for all: each would take another. */
async function freePort(host: string): Promise<string> {
  const held = await holdPort(host);
  await held.release();
  return String(held.port);
}

/** A process that answers, or is about to. */
interface Child {
  readonly worker: Worker;
  readonly ended: Promise<unknown>;
  readonly begun: number;
  /** How often in a row those before it ended soon after they had begun. */
  readonly failures: number;
  /** Nobody takes its place when it ends. */
  isLeaving: boolean;
}

class Processes {
  private readonly children = new Set<Child>();
  private readonly stopping = new AbortController();
  /** How often all were to be replaced since that was last begun. */
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
   * Starts the first one, which migrates and has written why where it cannot start, and behind it the others; returns
   * the greeting of the service.
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

  /** Puts a new process in the place of each, one after the other; once more where that is asked meanwhile. */
  async replaceAll(): Promise<void> {
    this.asked += 1;
    if (this.asked > 1) return;
    await this.replaceEach();
    const isAskedAgain = this.asked > 1;
    this.asked = 0;
    if (isAskedAgain) await this.replaceAll();
  }

  /** Has all end in good order, and hurry where they are told to. */
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
    // A message that did not arrive: the end of the process says why.
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

  /** Starts another one when it ends, unless it was told to. */
  private keep(child: Child): void {
    void child.ended.then(() => this.startAgain(child));
  }

  private async startAgain({ worker, begun, failures, isLeaving }: Child): Promise<void> {
    if (isLeaving || this.isStopping()) return;
    const again = performance.now() - begun < STABLE_MS ? failures + 1 : 0;
    const pauseMs = again === 0 ? 0 : Math.min(1000 * 2 ** (again - 1), MAX_PAUSE_MS);
    const { pid, exitCode, signalCode } = worker.process;
    const what = { pid, code: exitCode ?? undefined, signal: signalCode ?? undefined, pause_ms: pauseMs };
    this.logger.error(what, 'process ended; another one takes its place');
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
        this.logger.error({ err: error }, 'the old processes stay: a new one did not start');
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

  /** Ends when the process has, of which nothing is left where it cannot do so by itself. */
  private async end({ worker, ended }: Child): Promise<void> {
    const late = setTimeout(() => worker.process.kill('SIGKILL'), this.drainMs + STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  }
}

/** Who has lived for so long does not fail as soon as it starts. */
const STABLE_MS = 10_000;
const MAX_PAUSE_MS = 30_000;
/** Longer than a process takes that is replaced. */
const STOP_TIMEOUT_MS = 75_000;

/**
 * Closes the connection that a process of a cluster was being handed when it ended. Node.js forgets it, so that its
 * client would wait for ever. What this looks at is not documented: where it changes, nothing is closed.
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
