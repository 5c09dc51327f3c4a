import { setTimeout as pause } from 'node:timers/promises';
import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type DataSource, type EntityManager } from 'typeorm';
import { type Config } from '../config.js';
import { Dependency } from '../lib/dependency.js';
import { type Logger } from '../lib/logger.js';
import { Repeated } from '../lib/repeated.js';
import { createDataSource } from './data-source.js';
import { isOfStatement } from './pool.js';
import { type SharedDataSource } from './shared-data-source.js';
import { sql, type StandIn } from './sql.js';

/** The WAL position of a server, with its timeline and the identity of its database. */
interface Place {
  /** Null on a server that is not a standby. */
  readonly bytes: number | null;
  readonly timeline: number;
  readonly database: string;
}

/**
 * The standby server of `WTS_READ_URL`, and how old its state may be. Once a second it asks the primary how much WAL is
 * written, and the standby how much is replayed. The standby has everything that was committed before the latest sample
 * that it has replayed. Requests wait for none of these queries.
 */
export class Replica implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated = new Repeated(LOOK_MS, () => this.look());
  private readonly standby: Dependency;
  private readonly underWay = new Set<() => void>();
  private source: SharedDataSource | undefined;
  private opening: Promise<SharedDataSource> | undefined;
  private primary: Place | undefined;
  /** The WAL positions of the primary, and when each was asked for (`performance.now()`). */
  private samples: { readonly bytes: number; at: number }[] = [];
  private isThere = false;
  private lookedAt = 0;
  /** Everything committed before this time is on the standby. */
  private freshAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: Config,
    private readonly logger: Logger,
    /** Called for each read that may be stale, with the server that answered it. */
    readonly noteRead: (place: 'replica' | 'primary') => void,
  ) {
    this.standby = new Dependency('The read replica (WTS_READ_URL)', () => this.compare(), logger);
  }

  get isConfigured(): boolean {
    return this.config.readUrl !== undefined;
  }

  /** Reads that may be up to so many seconds old; undefined if no replica is configured. */
  readsWithin(seconds: number): StaleReads | undefined {
    return this.isConfigured ? new StaleReads(this, seconds) : undefined;
  }

  /** How many seconds the standby was behind at the last check; undefined before it was first reachable. */
  get lagSeconds(): number | undefined {
    const until = this.isThere ? this.lookedAt : performance.now();
    return this.freshAt === -Infinity ? undefined : Math.max(0, until - this.freshAt) / 1000;
  }

  /** Whether the standby has everything that was committed until so many seconds ago. */
  isWithin(seconds: number): boolean {
    return this.isThere && performance.now() - this.freshAt <= seconds * 1000;
  }

  /** Runs work on the standby; rejects at once if the standby goes away meanwhile. */
  async use<T>(work: (db: EntityManager) => Promise<T>): Promise<T> {
    const { source } = this;
    if (!source) throw new Gone();
    return new Promise((done, fail) => {
      const leave = (): void => { fail(new Gone()); }; // prettier-ignore
      this.underWay.add(leave);
      work(source.manager).then(done, fail).finally(() => this.underWay.delete(leave)); // prettier-ignore
    });
  }

  onApplicationBootstrap(): void {
    if (!this.isConfigured) return;
    this.repeated.start();
    void this.look();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repeated.stop();
    await this.standby.close();
    this.drop();
  }

  private async look(): Promise<void> {
    // A sample that arrives late still holds for the time at which it was asked for.
    await Promise.race([this.sample(), pause(LOOK_MS, undefined, { ref: false })]);
    await this.ask();
  }

  /** Checks whether the standby is reachable. */
  async ask(): Promise<void> {
    this.isThere = await this.standby.isUp();
    if (!this.isThere) this.drop();
  }

  /** Aborts the reads under way and closes connections that may hang; a standby that comes back gets new ones. */
  private drop(): void {
    for (const leave of this.underWay) leave();
    const { source } = this;
    this.source = undefined;
    source?.destroy().catch(() => undefined);
  }

  /** While the primary is down there are no samples, so the standby counts as older. */
  private async sample(): Promise<void> {
    const at = performance.now();
    const [place] = await sql<Place>(this.dataSource.manager, readWritten, []).catch(() => []);
    if (place?.bytes == null) return;
    // After recovery to an earlier time the primary has a new timeline.
    if (place.timeline !== this.primary?.timeline) this.samples = [];
    this.primary = place;
    const last = this.samples.at(-1);
    if (last?.bytes === place.bytes) last.at = Math.max(last.at, at);
    else this.samples = [...this.samples, { bytes: place.bytes, at }].slice(-MAX_SAMPLES);
  }

  /** Throws if the server is unreachable, or is not a standby of the primary. */
  private async compare(): Promise<void> {
    const { manager } = await this.open();
    const [place] = await sql<Place & { isSpread: boolean }>(manager, readReplayed, []);
    const { primary } = this;
    if (place?.bytes == null) throw new Error('it is not a standby server');
    if (place.isSpread) throw new Error('its database is distributed over several machines');
    if (!primary) return;
    if (place.database !== primary.database) throw new Error('it is not a copy of this database');
    if (place.timeline !== primary.timeline) throw new Error('it is on another timeline');
    this.lookedAt = performance.now();
    const { bytes } = place;
    const known = this.samples.findLast((sample) => sample.bytes <= bytes);
    // Keeps the latest sample that it has replayed. With none of them it is another server, further behind.
    this.freshAt = known?.at ?? -Infinity;
    if (known) this.samples = this.samples.filter((sample) => sample.bytes >= known.bytes);
  }

  private async open(): Promise<SharedDataSource> {
    if (this.source) return this.source;
    this.opening ??= this.connect().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private async connect(): Promise<SharedDataSource> {
    const { readUrl: url = '', poolSize, statementMs, idleTransactionMs } = this.config;
    const onIdleError = (error: unknown): void => {
      this.logger.debug({ err: error }, 'a connection to the read replica (WTS_READ_URL) broke');
      void this.ask();
    };
    const limits = { poolSize, statementMs, idleTransactionMs };
    const source = await createDataSource({ url, ...limits, isReadOnly: true, onIdleError });
    await source.initialize();
    return (this.source = source);
  }
}

const LOOK_MS = 1000;
/** Enough for more than an hour. */
const MAX_SAMPLES = 4000;

/** The standby is unreachable. */
class Gone extends Error {}

const database = `
  (SELECT system_identifier FROM pg_control_system())::text || '/' ||
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS database`;

// A visible commit is in the written WAL, unless it was asynchronous (synchronous_commit).
const readWritten = {
  name: 'read-written-wal',
  scope: 'no workspace' as const,
  text: `
    SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer AS timeline, ${database}`,
};

// The timeline of the last restartpoint. After a promotion the new timeline appears a little late, but never too early.
const readReplayed = {
  name: 'read-replayed-wal',
  scope: 'no workspace' as const,
  text: `
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 END AS bytes,
      (SELECT timeline_id FROM pg_control_checkpoint()) AS timeline, ${database},
      to_regproc('delegation.run') IS NOT NULL AS "isSpread"`,
};

/**
 * Reads that a request takes from the replica because its answer may be some seconds old. After the first read from the
 * primary, all later ones go to the primary, too: otherwise one would show an older state than the read before it.
 */
export class StaleReads implements StandIn {
  private isLeft = false;
  /** Whether a part of the answer came from the replica. */
  hasRead = false;

  constructor(
    private readonly replica: Replica,
    readonly seconds: number,
  ) {}

  /** Whether the next statement goes to the replica. */
  get isOpen(): boolean {
    if (!this.replica.isWithin(this.seconds)) this.isLeft = true;
    return !this.isLeft;
  }

  /** Sends all further reads to the primary. */
  leave(): void {
    this.isLeft = true;
  }

  /** Whether to repeat failed work on the primary alone: the stale state of the replica may be the reason. */
  mustRepeat(): boolean {
    const mayBeOld = this.hasRead;
    this.hasRead = false;
    this.isLeft = true;
    return mayBeOld;
  }

  /** Runs `there` on the replica. Runs `here` if the replica may no longer be used, or fails in any way: it may be overloaded. */
  async read<T>(there: (db: EntityManager) => Promise<T>, here: () => Promise<T>): Promise<T> {
    if (this.isOpen)
      try {
        const found = await this.replica.use(there);
        this.hasRead = true;
        this.replica.noteRead('replica');
        return found;
      } catch (error) {
        this.isLeft = true;
        if (!isOfStatement(error)) void this.replica.ask();
      }
    this.replica.noteRead('primary');
    return here();
  }
}
