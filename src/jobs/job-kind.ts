import { type Holder, type Shares } from '../../packages/fair/semaphore.js';
import { type Config } from '../config.js';
import { type Leased, type Leases } from '../database/leases.js';
import { type JobPlace } from '../ops/job-place.js';
import { type SpanOptions } from '../lib/trace.js';
import { type JobParts } from './job-parts.js';

/**
 * A kind of work that is due at some time. The rows of its table are the truth: whatever a process forgets, another finds.
 * A worker is told of a job by the doorbell, claims it by a lease and a fence, works at it, and may be told of others.
 */
export interface JobKind<Job extends Holder, Claimed> {
  /** What the doorbell, metrics and the log call it. */
  readonly name: string;
  /** Milliseconds between two looks for jobs that nobody was told of. */
  readonly pauseMs: number;
  /** How many jobs a process works at, and what share of these a workspace may have. */
  readonly places: number;
  readonly shares: Shares;
  /** Whether a job stays in the queue until it is done or waits, so that other processes take what this one has no place for. */
  readonly staysInQueue: boolean;
  /** Whether a lease that could not be renewed in time counts as lost: where no fence guards what is done outside. */
  readonly isLeaseStrict: boolean;
  /** Tells jobs of a process apart. */
  keyOf(job: Job): string;
  /** Whether a job must not run beside another of its sort, as one that may have ended its workers. */
  isSuspect?(job: Job): boolean;
  /** The jobs that are due and that no process has; throws when the database is away. */
  due(parts: JobParts, look: Look): Promise<readonly Job[]>;
  /** Takes the job for as long as a lease; undefined where somebody else has it, or it is not due. */
  claim(parts: JobParts, job: Job): Promise<Claimed | undefined>;
  /** False where somebody else has claimed it. */
  renew(parts: JobParts, claimed: Claimed): Promise<boolean>;
  /** Does the job, its end in the database included; returns the jobs of its kind that may begin now. */
  run(parts: JobParts, claimed: Claimed, place: JobPlace): Promise<readonly Job[]>;
  /** What traces tell of a job, beside its name: what it is a part of, or what caused it. */
  spanOf?(claimed: Claimed): SpanOptions & { readonly name?: string };
  /** Gives a job back when nobody works at it any more. */
  release?(parts: JobParts, claimed: Claimed): Promise<void>;
}

/** How the jobs of a kind are claimed whose table has leases. */
export function leasedBy<Job extends Holder, Read extends object>(
  leases: Leases<Job, Read>,
): Required<Pick<JobKind<Job, Leased<Job & Read>>, 'keyOf' | 'claim' | 'renew' | 'release'>> {
  return {
    keyOf: (job) => leases.nameOf(job),
    claim: ({ db, config }, job) => leases.claim(db, job, config.leaseMs),
    renew: ({ db, config }, claimed) => leases.renew(db, claimed, config.leaseMs),
    release: ({ db }, claimed) => leases.release(db, claimed),
  };
}

/** What a look for due jobs wants. */
export interface Look {
  /** How many at most. */
  readonly limit: number;
  /** Milliseconds after which a new job counts as one that nobody was told of. */
  readonly unheardMs: number;
}

/** Work that a process does again and again, on all that there is at once. */
export interface Sweep {
  readonly name: string;
  /** Milliseconds between the end of one time and the next. */
  pauseMs(config: Config): number;
  /** Whether processes that are no workers do it, too. */
  readonly isEverywhere?: boolean;
  /** What it throws is logged; it is left to the next time. */
  sweep(parts: JobParts): Promise<void>;
}
