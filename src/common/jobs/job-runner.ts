import { setMaxListeners } from 'node:events';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Holder } from '../../../packages/fair/semaphore.js';
import { Health } from '../ops/health.js';
import {
  type BackgroundWork,
  type DueWork,
  type PeriodicSweep,
  type Sweep,
  JobParts,
  WORK,
} from '../ops/job-kind.js';
import { Metrics } from '../ops/metrics.js';
import { JobLine } from './job-line.js';
import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';

/** Which due work `settle` runs: all of it, the jobs of one kind, or only some of these jobs. */
export interface Settled {
  readonly kind?: string | undefined;
  readonly isWanted?: ((job: object) => boolean) | undefined;
  /** Whether `settle` ignores the errors of jobs. Otherwise, it throws them. */
  readonly mayFail?: boolean | undefined;
}

/** Runs the background work of this process. `JobWaker` decides when. */
@Injectable()
export class JobRunner implements BeforeApplicationShutdown, OnApplicationShutdown {
  onEnd: () => void = () => undefined;
  private readonly stopping = new AbortController();
  private readonly lines = new Map<string, JobLine>();
  private readonly sweeping = new Map<string, Promise<void>>();
  private readonly sweptAt = new Map<string, number>();
  private readonly failures: unknown[] = [];
  private readonly findDue: ReturnType<typeof findingDue>;
  /** Resolves when all work that `demand` started has ended. */
  private demanded: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(WORK) private readonly work: BackgroundWork,
    private readonly parts: JobParts,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    this.findDue = findingDue([...work.jobs, ...work.sweeps]);
    const { signal: stopping } = this.stopping;
    // Every job listens to the signal: a large number of listeners is no leak.
    setMaxListeners(0, stopping);
    const onEnd = (): void => {
      this.onEnd();
    };
    const logFailure = (error: unknown, kind: string, job: string): Promise<void> =>
      this.logFailure(error, { kind, job });
    for (const kind of work.jobs)
      if (kind.isOutbound !== true || parts.config.isOutboundOn)
        this.lines.set(kind.name, new JobLine(kind, { parts, stopping, onEnd, logFailure }));
    this.measure(metrics);
  }

  /** Starts a job. Ignores unknown kinds of jobs, which a newer version may announce. */
  begin(kind: string, job: object): void {
    void this.lines.get(kind)?.begin(job as Holder);
  }

  /** Starts due work. Returns the milliseconds until the next work is due. For `teller` see `findingDue`. */
  async look(teller?: string): Promise<number> {
    try {
      const waiting = await this.findDue(this.parts.db, teller);
      for (const { name } of dueIn(waiting, this.work.jobs)) void this.lookAt(name);
      for (const sweep of dueIn(waiting, this.work.sweeps)) this.beginSweep(sweep);
      if (teller !== undefined) this.beginPeriodic();
      return Math.min(...[...waiting.values()].filter((ms) => ms > 0));
    } catch (error) {
      await this.logFailure(error, { kind: 'due-work' });
      return Infinity;
    }
  }

  /** Tells all jobs that the service is stopping. A job that can be continued later then stops. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Resolves when all running work has ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.demanded;
    await Promise.all([...this.sweeping.values(), ...[...this.lines.values()].map((line) => line.end())]);
  }

  /**
   * Runs due work in rounds until none is left, for tests in which background work does not start by itself.
   * Throws the errors of the jobs. After 100 rounds, throws an error that names the work that is still due.
   */
  async settle({ mayFail = false, ...wanted }: Settled = {}): Promise<void> {
    if (wanted.kind === undefined) for (const sweep of this.work.periodic) await this.sweep(sweep);
    await this.runRounds(wanted);
    // `failures` also contains the failures of work that `demand` started.
    const failures = this.failures.splice(0);
    if (failures.length > 0 && !mayFail) throw new AggregateError(failures, 'background work failed');
  }

  /** Runs due jobs for a request that waits for them. Called if background work does not start by itself. */
  demand(wanted: Settled): void {
    this.demanded = Promise.allSettled([this.demanded, this.runRounds(wanted)]);
  }

  private async runRounds(wanted: Settled): Promise<void> {
    let ran: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      ran = await this.runRound(wanted);
      if (ran.length === 0) return;
    }
    throw new AggregateError(
      this.failures.splice(0),
      `still due after ${MAX_ROUNDS} rounds: ${ran.join(', ')}`,
    );
  }

  private async runRound({ kind, isWanted }: Settled): Promise<string[]> {
    const { db } = this.parts;
    if (kind === undefined)
      for (const sweep of dueIn(await this.findDue(db), this.work.sweeps)) await this.sweep(sweep);
    const ran: string[] = [];
    for (const { name } of dueIn(await this.findDue(db), this.work.jobs)) {
      if (kind !== undefined && kind !== name) continue;
      const found = (await this.lines.get(name)?.look(MAX_SETTLED, isWanted)) ?? new Map<string, never>();
      await Promise.all(found.values());
      ran.push(...[...found.keys()].map((key) => `${name} ${key}`));
    }
    return ran;
  }

  private async lookAt(kind: string): Promise<void> {
    await this.lines.get(kind)?.look().catch((error: unknown) => this.logFailure(error, { kind })); // prettier-ignore
  }

  /** Starts the periodic work that is due in this process. */
  private beginPeriodic(): void {
    const now = performance.now();
    for (const sweep of this.work.periodic) {
      const last = this.sweptAt.get(sweep.name);
      if (last === undefined) this.sweptAt.set(sweep.name, now);
      else if (now - last >= sweep.everyMs(this.parts.config)) this.beginSweep(sweep);
    }
  }

  private beginSweep(sweep: Sweep | PeriodicSweep): void {
    const { name } = sweep;
    if (this.sweeping.has(name) || this.stopping.signal.aborted) return;
    this.sweptAt.set(name, performance.now());
    this.sweeping.set(name, this.sweep(sweep).finally(() => this.sweeping.delete(name))); // prettier-ignore
  }

  private async sweep(sweep: Sweep | PeriodicSweep): Promise<void> {
    await sweep.sweep(this.parts).catch((error: unknown) => this.logFailure(error, { kind: sweep.name }));
  }

  private async logFailure(error: unknown, of: object): Promise<void> {
    if (this.parts.config.background === 'asked') this.failures.push(error);
    await this.health.postgres.logFailure(error, 'background work failed; trying it again', of);
  }

  private measure(metrics: Metrics): void {
    const count = (): Map<string, number> => new Map([...this.lines].map(([name, { size }]) => [name, size]));
    metrics.addGauge('wts_jobs', 'Running jobs, by kind.', 'kind', count);
    metrics.addSharedGauge({
      name: 'wts_due_oldest_seconds',
      help: 'How long ago the oldest waiting timer, clock step or run of a schedule became due.',
      label: 'kind',
      read: async () => {
        const waiting = await this.findDue(this.parts.db);
        const timed = this.work.jobs.filter(({ isTimed }) => isTimed);
        return new Map(timed.map(({ name }) => [name, Math.max(-(waiting.get(name) ?? 0) / 1000, 0)]));
      },
    });
  }
}

function dueIn<Work extends DueWork>(waiting: FirstDue, all: readonly Work[]): Work[] {
  return all.filter(({ name }) => (waiting.get(name) ?? Infinity) <= 0);
}

const MAX_ROUNDS = 100;
const MAX_SETTLED = 100_000;

/** Maps each kind of work to the milliseconds until its first row is due; 0 or less if a row is due. */
export type FirstDue = ReadonlyMap<string, number>;

/** Returns the query that finds due work of all these kinds by one statement. */
function findingDue(all: readonly DueWork[]) {
  const rows = all.map(({ name, next }) => `SELECT '${name}' AS name, ${next} AS at`);
  const statement = {
    name: 'due-work',
    scope: 'all workspaces' as const,
    text: `
    WITH work AS MATERIALIZED (
      ${rows.join('\n      UNION ALL ')}
    )
    SELECT w.name, (EXTRACT(epoch FROM w.at - service_now()) * 1000)::float8 AS "inMs", told.told
    FROM work w CROSS JOIN (
      SELECT CASE WHEN $1::text IS NOT NULL THEN pg_notify('wts_jobs',
        $1::text || CASE WHEN EXISTS (SELECT FROM work WHERE at <= service_now()) THEN ' due' ELSE ' idle' END)::text END AS told
    ) told`,
  };
  /** If `teller` is the id of this process, the statement also notifies the other processes of the result. */
  return async (db: EntityManager, teller?: string): Promise<FirstDue> => {
    const waiting = new Map<string, number>();
    for (const { name, inMs } of await sql<Row>(db, statement, [teller ?? null]))
      if (inMs !== null) waiting.set(name, Math.min(inMs, waiting.get(name) ?? Infinity));
    return waiting;
  };
}

interface Row {
  readonly name: string;
  readonly inMs: number | null;
}
