import { holdLease } from '../../packages/fair/lease.js';
import { FairSemaphore, type Holder } from '../../packages/fair/semaphore.js';
import { busy } from '../lib/errors.js';
import { type JobPlace } from '../ops/job-place.js';
import { apart, inSpan } from '../lib/trace.js';
import { type JobKind, type Look } from '../ops/job-kind.js';
import { type JobParts } from '../ops/job-parts.js';

/** What the jobs of a process share. */
export interface LineTerms {
  readonly parts: JobParts;
  readonly leaseMs: number;
  readonly unheardMs: number;
  readonly stopping: AbortSignal;
  /** Tells the workers of a job that may begin. */
  readonly ring: (job: object) => void;
  readonly logFailure: (error: unknown, job: string) => Promise<void>;
}

/** The jobs of one kind that this process works at, and those that wait for a place. */
export class JobLine<Job extends Holder = Holder, Claimed = unknown> {
  private readonly places: FairSemaphore;
  /** Suspects run one at a time, so that a job that crashes the process takes no other suspect with it. */
  private readonly suspects = new FairSemaphore(1, never, { ofWorkspace: 1, waitTimeoutMs: Infinity });
  private readonly underWay = new Map<string, UnderWay>();

  constructor(
    readonly kind: JobKind<Job, Claimed>,
    private readonly terms: LineTerms,
  ) {
    this.places = new FairSemaphore(kind.places, never, { ...kind.shares, waitTimeoutMs: Infinity });
  }

  /** How many jobs are under way or wait. */
  get size(): number {
    return this.underWay.size;
  }

  /** Finds unannounced jobs and starts them. Does not wait for them: a slow one would delay the rest. */
  async look(): Promise<void> {
    for (const { hear } of this.underWay.values()) hear?.();
    // If all places are taken, most due jobs just wait in Redis; the oldest may never have been announced.
    const look: Look = { limit: this.places.isUsedUp ? 1 : MAX_FOUND, unheardMs: this.terms.unheardMs };
    for (const job of await this.kind.due(this.terms.parts, look)) void this.begin(job);
  }

  /**
   * Runs the job if it can be claimed; if it is under way here, passes the ring on to it. Never throws. Resolves when
   * the job is done or starts to wait for another system; in that case it continues in the background.
   */
  async begin(job: Job): Promise<void> {
    const name = this.kind.keyOf(job);
    const known = this.underWay.get(name);
    if (known?.hear) known.hear();
    else if (known) known.isRung = true;
    if (known || this.terms.stopping.aborted) return;
    const current: UnderWay = { work: Promise.resolve(), isRung: false };
    this.underWay.set(name, current);
    await new Promise<void>((leave) => {
      current.work = apart(() => this.work(job, current, leave)).finally(() => {
        this.underWay.delete(name);
        leave();
      });
    });
  }

  /** Runs the wanted jobs that are due to their end; returns their names. */
  async settle(isWanted: (job: Job) => boolean): Promise<string[]> {
    const due = await this.kind.due(this.terms.parts, { limit: MAX_SETTLED, unheardMs: 0 });
    const names = due.filter(isWanted).map((job) => {
      void this.begin(job);
      return this.kind.keyOf(job);
    });
    await Promise.all(names.map(async (name) => this.underWay.get(name)?.work));
    return names.map((name) => `${this.kind.name} ${name}`);
  }

  /** Resolves when all jobs under way are done or given back. */
  async end(): Promise<void> {
    await Promise.all([...this.underWay.values()].map(({ work }) => work));
  }

  private async work(job: Job, current: UnderWay, leave: () => void): Promise<void> {
    try {
      for (const next of await this.inPlace(job, current, leave)) this.terms.ring(next);
    } catch (error) {
      await this.terms.logFailure(error, this.kind.keyOf(job));
    }
  }

  private inPlace(job: Job, current: UnderWay, leave: () => void): Promise<readonly Job[]> {
    // A suspect keeps its place while it waits, so that no other suspect starts.
    if (this.kind.isSuspect?.(job) === true)
      return this.suspects.use(job, () => this.attempt(job, current, (wait) => wait()));
    return this.places.use(job, () =>
      this.attempt(job, current, (wait) => {
        leave();
        return this.places.releaseWhile(job, wait);
      }),
    );
  }

  private async attempt(job: Job, current: UnderWay, outside: JobPlace['outside']): Promise<readonly Job[]> {
    const { kind } = this;
    const { parts, leaseMs, stopping } = this.terms;
    const claimed = await this.claim(job, current);
    if (claimed === undefined) return [];
    const lease = holdLease(() => kind.renew(parts, claimed), { leaseMs, isStrict: kind.isLeaseStrict });
    const onRing = (hear: () => void): void => {
      current.hear = hear;
    };
    try {
      const run = (): Promise<readonly Job[]> =>
        kind.run(parts, claimed, { lease, stopping, outside, onRing });
      const { name = `job ${kind.name}`, ...options } = kind.spanOf?.(claimed) ?? {};
      const attributes = { 'wts.job': kind.keyOf(job) };
      return await inSpan(name, { kind: 'consumer', attributes, ...options }, run);
    } finally {
      lease.end();
      await kind.release?.(parts, claimed);
    }
  }

  private async claim(job: Job, current: UnderWay): Promise<Claimed | undefined> {
    const wasRung = (): boolean => current.isRung;
    while (!this.terms.stopping.aborted) {
      current.isRung = false;
      const claimed = await this.kind.claim(this.terms.parts, job);
      // A ring during the attempt may mean that the job can be claimed now, so it is tried again.
      if (claimed !== undefined || !wasRung()) return claimed;
    }
    return undefined;
  }
}

interface UnderWay {
  work: Promise<void>;
  hear?: () => void;
  isRung: boolean;
}

/** For each kind, per look. */
const MAX_FOUND = 100;
const MAX_SETTLED = 100_000;
const never = busy('Jobs wait for a place without end.');
