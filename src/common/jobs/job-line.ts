import { holdLease } from '../../../packages/fair/lease.js';
import { FairSemaphore, type Holder } from '../../../packages/fair/semaphore.js';
import { busy } from '../errors.js';
import { apart, inSpan } from '../trace.js';
import { type JobKind, type JobParts } from '../ops/job-kind.js';

export interface LineTerms {
  readonly parts: JobParts;
  readonly stopping: AbortSignal;
  /** Called when a job has ended without an error, because the job may have made other work due. */
  readonly onEnd: () => void;
  readonly logFailure: (error: unknown, kind: string, job: string) => Promise<void>;
}

/** The jobs of one kind that run, or wait to run, in this process. */
export class JobLine<Job extends Holder = Holder, Claimed = unknown> {
  private readonly places: FairSemaphore;
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly kind: JobKind<Job, Claimed>,
    private readonly terms: LineTerms,
  ) {
    this.places = new FairSemaphore(kind.places, never, { ...kind.shares, waitTimeoutMs: Infinity });
  }

  /** How many jobs are running or waiting. */
  get size(): number {
    return this.underWay.size;
  }

  /** Finds due jobs, and starts the wanted ones. Maps each job's key to a promise of the end of the job. */
  async look(
    limit = MAX_FOUND,
    isWanted: (job: Job) => boolean = () => true,
  ): Promise<ReadonlyMap<string, Promise<void>>> {
    const due = await this.kind.due(this.terms.parts, limit);
    return new Map(due.filter(isWanted).map((job) => [this.kind.keyOf(job), this.begin(job)]));
  }

  /**
   * Starts a job, unless it already runs or waits here, or the service is stopping. Resolves when the job has
   * ended. Never rejects.
   */
  begin(job: Job): Promise<void> {
    const key = this.kind.keyOf(job);
    const known = this.underWay.get(key);
    if (known || this.terms.stopping.aborted) return known ?? Promise.resolve();
    const work = apart(() => this.work(job)).finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    return work;
  }

  /** Resolves when no job runs or waits here anymore. */
  async end(): Promise<void> {
    await Promise.all(this.underWay.values());
  }

  private async work(job: Job): Promise<void> {
    try {
      if (await this.places.use(job, () => this.attempt(job))) this.terms.onEnd();
    } catch (error) {
      await this.terms.logFailure(error, this.kind.name, this.kind.keyOf(job));
    }
  }

  /** Claims and runs a job. Returns false if the job cannot be claimed. */
  private async attempt(job: Job): Promise<boolean> {
    const { kind } = this;
    const { parts, stopping } = this.terms;
    const claimed = stopping.aborted ? undefined : await kind.claim(parts, job);
    if (claimed === undefined) return false;
    const lease = holdLease(() => kind.renew(parts, claimed), parts.config.leaseMs);
    const outside = <T>(wait: () => Promise<T>): Promise<T> => this.places.releaseWhile(job, wait);
    try {
      const { name = `job ${kind.name}`, ...options } = kind.spanOf?.(claimed) ?? {};
      const attributes = { 'wts.job': kind.keyOf(job) };
      await inSpan(name, { kind: 'consumer', attributes, ...options }, () =>
        kind.run(parts, claimed, { lease, stopping, outside }),
      );
      return true;
    } finally {
      lease.end();
      await kind.release?.(parts, claimed);
    }
  }
}

/** The most jobs that one query finds by default. */
const MAX_FOUND = 100;
const never = busy('Jobs wait for a place without a time limit.');
