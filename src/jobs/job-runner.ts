import { setMaxListeners } from 'node:events';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Holder } from '../../packages/fair/semaphore.js';
import { Repeated } from '../lib/repeated.js';
import { Doorbell } from '../ops/doorbell.js';
import { Health } from '../ops/health.js';
import { Metrics } from '../ops/metrics.js';
import { type JobKind, type Sweep } from '../ops/job-kind.js';
import { JobLine } from './job-line.js';
import { JobParts } from '../ops/job-parts.js';
import { JobQueue, type QueuedJob, type QueuedJobs } from './job-queue.js';
import { jobKinds, sweeps } from './kinds.js';

/** What `settle` runs: all that is due, unless it is limited to a kind of jobs or to some jobs. */
export interface Settled {
  readonly kind?: string | undefined;
  readonly isWanted?: ((job: object) => boolean) | undefined;
  /** Whether jobs may throw; otherwise `settle` throws what they threw. */
  readonly mayFail?: boolean | undefined;
}

/** Runs all background work of this process, from its start to its end. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly lines = new Map<string, JobLine>();
  private readonly repeated: Repeated[] = [];
  private readonly failures: unknown[] = [];
  /** Resolves when the work that requests have demanded has ended. */
  private demanded: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly parts: JobParts,
    private readonly queue: JobQueue,
    private readonly doorbell: Doorbell,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    // Every job listens to the signal, which is no leak.
    setMaxListeners(0, this.stopping.signal);
    for (const kind of jobKinds) this.addJobs(kind);
    for (const sweep of sweeps) this.addSweep(sweep);
    const count = (): Map<string, number> => new Map([...this.lines].map(([name, { size }]) => [name, size]));
    metrics.addGauge('wts_jobs', 'Running jobs, by kind.', 'kind', count);
    doorbell.answer(
      (kind, job) => {
        if (!this.isAsked) this.tell({ kind, job });
      },
      (kind, isWanted) => {
        if (this.isAsked)
          this.demanded = Promise.allSettled([this.demanded, this.runRounds({ kind, isWanted })]);
      },
    );
  }

  onApplicationBootstrap(): void {
    if (!this.isAsked) for (const repeated of this.repeated) repeated.start();
  }

  /** Starts nothing more, and stops jobs that wait for other systems. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Resolves when all work under way has ended. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.demanded, ...this.repeated.map((repeated) => repeated.stop())]);
    await Promise.all([...this.lines.values()].map((line) => line.end()));
  }

  /** Handles an announcement of jobs. Resolves when the queue no longer has to keep them. */
  async hear({ others = [], ...first }: QueuedJobs): Promise<void> {
    await Promise.all([first, ...others].map((job) => this.begin(job)));
  }

  /**
   * Runs what is due, in rounds, until nothing is: for tests, whose background work waits to be asked. Throws what the jobs threw, and
   * after 100 rounds the names of what is still due.
   */
  async settle({ mayFail = false, ...wanted }: Settled = {}): Promise<void> {
    await this.runRounds(wanted);
    // Failures of work that a request has demanded count, too.
    const failures = this.failures.splice(0);
    if (failures.length > 0 && !mayFail) throw new AggregateError(failures, 'background work failed');
  }

  private async runRounds(wanted: Settled): Promise<void> {
    let due: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      due = await this.runRound(wanted);
      if (due.length === 0) return;
    }
    throw new AggregateError(
      this.failures.splice(0),
      `still due after ${MAX_ROUNDS} rounds: ${due.join(', ')}`,
    );
  }

  private async runRound({ kind, isWanted = () => true }: Settled): Promise<string[]> {
    const due: string[] = [];
    if (kind === undefined)
      for (const sweep of sweeps)
        await sweep.sweep(this.parts).catch((error: unknown) => this.logFailure(error, sweep.name));
    for (const [name, line] of this.lines)
      if (kind === undefined || kind === name) due.push(...(await line.settle(isWanted)));
    return due;
  }

  private get isAsked(): boolean {
    return this.parts.config.background === 'asked';
  }

  private async begin({ kind, job }: QueuedJob): Promise<void> {
    const line = this.lines.get(kind);
    // A newer version may announce kinds that this one does not know.
    const begun = line?.begin(job as Holder);
    if (line?.kind.staysInQueue === true) await begun;
  }

  private get isWorker(): boolean {
    return this.parts.config.role !== 'api';
  }

  private tell(job: QueuedJob): void {
    this.queue.add(job, () => {
      if (this.isWorker) void this.hear(job);
    });
  }

  private addSweep(sweep: Sweep): void {
    const isHere = this.isWorker || sweep.isEverywhere === true;
    if (isHere) this.repeat(sweep.name, sweep.pauseMs(this.parts.config), () => sweep.sweep(this.parts));
  }

  private addJobs(kind: JobKind<Holder, unknown>): void {
    if (kind.isOutbound === true && !this.parts.config.isOutboundOn) return;
    const line = new JobLine(kind, {
      parts: this.parts,
      leaseMs: this.parts.config.leaseMs,
      // With Redis, most jobs that are not running just wait in its queue.
      unheardMs: this.parts.config.redisUrl === undefined ? 1000 : 5000,
      stopping: this.stopping.signal,
      ring: (job) => {
        this.doorbell.ring(kind.name, job);
      },
      logFailure: (error, job) => this.logFailure(error, kind.name, { job }),
    });
    this.lines.set(kind.name, line);
    if (this.isWorker) this.repeat(kind.name, kind.pauseMs, () => line.look());
  }

  private repeat(kind: string, pauseMs: number, work: () => Promise<void>): void {
    const logged = (): Promise<void> => work().catch((error: unknown) => this.logFailure(error, kind));
    this.repeated.push(new Repeated(pauseMs, logged));
  }

  private async logFailure(error: unknown, kind: string, of: object = {}): Promise<void> {
    if (this.isAsked) this.failures.push(error);
    await this.health.postgres.logFailure(error, 'background work failed; trying it again', { kind, ...of });
  }
}

const MAX_ROUNDS = 100;
