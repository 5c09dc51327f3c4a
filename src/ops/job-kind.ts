import { type Holder, type Shares } from '../../packages/fair/semaphore.js';
import { type Config } from '../config.js';
import { type Leased, type Leases } from '../database/leases.js';
import { type JobPlace } from './job-place.js';
import { type SpanOptions } from '../lib/trace.js';
import { type JobParts } from './job-parts.js';

/**
 * A kind of work that is due at some time. The rows of its table are the truth: another process finds what one
 * forgets. The doorbell announces a job to a worker, which claims it by a lease and a fence, runs it, and may learn
 * of others.
 */
export interface JobKind<Job extends Holder, Claimed> {
  /** Its name in the doorbell, in metrics and in the log. */
  readonly name: string;
  /** Milliseconds between two looks for jobs that the doorbell has not announced. */
  readonly pauseMs: number;
  /** How many jobs a process runs at once, and a workspace's share of them. */
  readonly places: number;
  readonly shares: Shares;
  /** Whether a job stays in the queue until it is done or waits outside, so that processes with free places take it. */
  readonly staysInQueue: boolean;
  /** Whether its jobs wait while `WTS_OUTBOUND` is off. */
  readonly isOutbound?: boolean;
  /** Whether an unrenewed lease counts as lost: needed where no fence guards effects outside the database. */
  readonly isLeaseStrict: boolean;
  /** Identifies a job within the process. */
  keyOf(job: Job): string;
  /** Whether the job may have crashed earlier workers; such jobs run one at a time. */
  isSuspect?(job: Job): boolean;
  /** The jobs that are due and that no process has claimed; throws if the database is away. */
  due(parts: JobParts, look: Look): Promise<readonly Job[]>;
  /** Claims the job for the length of a lease; undefined if another process has it, or it is not due. */
  claim(parts: JobParts, job: Job): Promise<Claimed | undefined>;
  /** Renews the lease; false if another process has claimed the job. */
  renew(parts: JobParts, claimed: Claimed): Promise<boolean>;
  /** Runs the job, including its end in the database; returns the jobs of its kind that may start now. */
  run(parts: JobParts, claimed: Claimed, place: JobPlace): Promise<readonly Job[]>;
  /** What traces show of a job: its parent or its cause, and a name of its own. */
  spanOf?(claimed: Claimed): SpanOptions & { readonly name?: string };
  /** Gives a job back when this process no longer works at it. */
  release?(parts: JobParts, claimed: Claimed): Promise<void>;
}

/** Claiming for kinds whose table has leases. */
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

/** The bounds of a look for due jobs. */
export interface Look {
  /** How many at most. */
  readonly limit: number;
  /** Milliseconds after which a new job counts as not announced. */
  readonly unheardMs: number;
}

/** Work that a process repeats, for all workspaces at once. */
export interface Sweep {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  pauseMs(config: Config): number;
  /** Whether processes that are not workers run it, too. */
  readonly isEverywhere?: boolean;
  /** An error is logged; the next run tries again. */
  sweep(parts: JobParts): Promise<void>;
}
