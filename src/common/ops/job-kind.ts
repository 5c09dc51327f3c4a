import { type Lease } from '../../../packages/fair/lease.js';
import { type Holder, type Shares } from '../../../packages/fair/semaphore.js';
import { type Config, CONFIG } from '../../config.js';
import { type Leased, type Leases } from '../database/leases.js';
import { type SpanOptions } from '../trace.js';
import { Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { type Logger, LOGGER } from '../logger.js';

export interface DueWork {
  /** The name of the work for the doorbell, metrics and the log. */
  readonly name: string;
  /**
   * A query in SQL for the time at which the first row is due; null if no row is waiting. The query must read
   * few rows. The time is on the clock of `service_now()`. The time may be too early, but not too late.
   */
  readonly next: string;
}

/**
 * Work that is due row by row. A process claims a row by a lease and a fence, and then runs the job. The rows
 * are the truth: if a process dies, another process finds the rows.
 */
export interface JobKind<Job extends Holder, Claimed> extends DueWork {
  /** How many jobs a process runs at once, and how many of them for one workspace. */
  readonly places: number;
  readonly shares: Shares;
  /** Whether the jobs wait while `WTS_OUTBOUND` is off. */
  readonly isOutbound?: boolean;
  /** Whether each job becomes due at a set time, as a timer does. */
  readonly isTimed?: boolean;
  /** Identifies a job within the process. */
  keyOf(job: Job): string;
  /** The due jobs that no process has claimed; throws if the database is unavailable. */
  due(parts: JobParts, limit: number): Promise<readonly Job[]>;
  /** Claims the job for one lease. Undefined if another process has the job, or the job is not due. */
  claim(parts: JobParts, job: Job): Promise<Claimed | undefined>;
  /** Renews the lease; false if another process has claimed the job, or the job has ended. */
  renew(parts: JobParts, claimed: Claimed): Promise<boolean>;
  /** Runs the job, and records the result in the database. */
  run(parts: JobParts, claimed: Claimed, place: JobPlace): Promise<void>;
  /** The span of a job in traces, with its name and its parent. */
  spanOf?(claimed: Claimed): SpanOptions & { readonly name?: string };
  /** Gives up the claim of a job that this process no longer runs. */
  release?(parts: JobParts, claimed: Claimed): Promise<void>;
}

export interface JobPlace {
  readonly lease: Lease;
  /** Aborts when the service stops: a job that can be continued later should stop. */
  readonly stopping: AbortSignal;
  /** Calls `wait`, which waits for another system. Meanwhile, another job may run in place of this one. */
  readonly outside: <T>(wait: () => Promise<T>) => Promise<T>;
}

/** Makes the functions of a job kind whose table has leases. */
export function leasedBy<Job extends Holder, Read extends object>(
  leases: Leases<Job, Read>,
): Required<Pick<JobKind<Job, Leased<Job & Read>>, 'keyOf' | 'due' | 'claim' | 'renew' | 'release'>> {
  return {
    keyOf: (job) => leases.nameOf(job),
    due: ({ db }, limit) => leases.due(db, limit),
    claim: ({ db, config }, job) => leases.claim(db, job, config.leaseMs),
    renew: ({ db, config }, claimed) => leases.renew(db, claimed, config.leaseMs),
    release: ({ db }, claimed) => leases.release(db, claimed),
  };
}

/** Work that handles all due rows together. Several processes may run a sweep at the same time. */
export interface Sweep extends DueWork {
  sweep(parts: JobParts): Promise<void>;
}

/** Work that one process of the installation repeats. Each run handles all workspaces together. */
export interface PeriodicSweep extends Pick<Sweep, 'name' | 'sweep'> {
  everyMs(config: Config): number;
}

export interface BackgroundWork {
  readonly jobs: readonly JobKind<Holder, unknown>[];
  readonly sweeps: readonly Sweep[];
  readonly periodic: readonly PeriodicSweep[];
}

export const WORK = Symbol('WORK');

@Injectable()
export class JobParts {
  readonly db: EntityManager;

  constructor(
    dataSource: DataSource,
    @Inject(CONFIG) readonly config: Config,
    @Inject(LOGGER) readonly logger: Logger,
    private readonly modules: ModuleRef,
  ) {
    this.db = dataSource.manager;
  }

  /** The provider of this class or token, whatever module it belongs to. */
  provider<T>(token: Type<T> | symbol): T {
    return this.modules.get<T>(token, { strict: false });
  }
}
