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

/** How far a server has come in the WAL, on which line of history, and of which database. */
interface Place {
  /** Null on a server that replays no WAL. */
  readonly bytes: number | null;
  readonly timeline: number;
  readonly database: string;
}

/**
 * The standby server of `WTS_READ_URL`, and since when its state may be old. Once a second the primary is asked how much WAL
 * it has written, and the standby how much of it is replayed: what was committed before the latest sample that is replayed
 * is there. Requests ask nothing.
 */
export class Replica implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeated = new Repeated(LOOK_MS, () => this.look());
  private readonly standby: Dependency;
  private readonly underWay = new Set<() => void>();
  private source: SharedDataSource | undefined;
  private opening: Promise<SharedDataSource> | undefined;
  private primary: Place | undefined;
  /** What the primary had written when it was asked at these times of the process. */
  private samples: { readonly bytes: number; at: number }[] = [];
  private isThere = false;
  private lookedAt = 0;
  /** All that was committed by then is on the standby. */
  private freshAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: Config,
    private readonly logger: Logger,
    /** Told where each statement was answered of those who take what is a little old. */
    readonly noteRead: (place: 'replica' | 'primary') => void,
  ) {
    this.standby = new Dependency('The read replica (WTS_READ_URL)', () => this.compare(), logger);
  }

  get isConfigured(): boolean {
    return this.config.readUrl !== undefined;
  }

  /** Reads that may be of so many seconds ago; undefined where there is no replica. */
  readsWithin(seconds: number): StaleReads | undefined {
    return this.isConfigured ? new StaleReads(this, seconds) : undefined;
  }

  /** For how many seconds the standby has been behind when it was last looked at; undefined where it never was there. */
  get lagSeconds(): number | undefined {
    const until = this.isThere ? this.lookedAt : performance.now();
    return this.freshAt === -Infinity ? undefined : Math.max(0, until - this.freshAt) / 1000;
  }

  /** Whether it has all that was committed so many seconds ago. */
  isWithin(seconds: number): boolean {
    return this.isThere && performance.now() - this.freshAt <= seconds * 1000;
  }

  /** Does work on it, and fails at once where it goes meanwhile. */
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
    // One that is late is true of the time when it was asked for.
    await Promise.race([this.sample(), pause(LOOK_MS, undefined, { ref: false })]);
    await this.ask();
  }

  /** Looks whether it is there. */
  async ask(): Promise<void> {
    this.isThere = await this.standby.isUp();
    if (!this.isThere) this.drop();
  }

  /** Gives up what is under way, and connections that may hang: whoever comes back gets new ones. */
  private drop(): void {
    for (const leave of this.underWay) leave();
    const { source } = this;
    this.source = undefined;
    source?.destroy().catch(() => undefined);
  }

  /** Where the primary is away there is no sample: the standby is the older for it. */
  private async sample(): Promise<void> {
    const at = performance.now();
    const [place] = await sql<Place>(this.dataSource.manager, readWritten, []).catch(() => []);
    if (place?.bytes == null) return;
    // A database that was recovered to an earlier time begins a line of its own.
    if (place.timeline !== this.primary?.timeline) this.samples = [];
    this.primary = place;
    const last = this.samples.at(-1);
    if (last?.bytes === place.bytes) last.at = Math.max(last.at, at);
    else this.samples = [...this.samples, { bytes: place.bytes, at }].slice(-MAX_SAMPLES);
  }

  /** Throws where the server is away, or is no standby of the primary. */
  private async compare(): Promise<void> {
    const { manager } = await this.open();
    const [place] = await sql<Place & { isSpread: boolean }>(manager, readReplayed, []);
    const { primary } = this;
    if (place?.bytes == null) throw new Error('it is no standby server');
    if (place.isSpread) throw new Error('its database is spread over several machines');
    if (!primary) return;
    if (place.database !== primary.database) throw new Error('it is not a copy of this database');
    if (place.timeline !== primary.timeline) throw new Error('it is on another line of history');
    this.lookedAt = performance.now();
    const { bytes } = place;
    const known = this.samples.findLast((sample) => sample.bytes <= bytes);
    // Of samples it has had the latest is kept: one that has none of them is another server, which is further back.
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
/** More than an hour of them. */
const MAX_SAMPLES = 4000;

/** What was asked of the standby has no answer: it is away. */
class Gone extends Error {}

const database = `
  (SELECT system_identifier FROM pg_control_system())::text || '/' ||
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS database`;

// Whoever sees a commit sees one that is written, unless it is a commit that does not wait (synchronous_commit).
const readWritten = {
  name: 'read-written-wal',
  scope: 'no workspace' as const,
  text: `
    SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer AS timeline, ${database}`,
};

// The line of its last restartpoint: behind a promotion it is the new one a little later than it could be, and never too soon.
const readReplayed = {
  name: 'read-replayed-wal',
  scope: 'no workspace' as const,
  text: `
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 END AS bytes,
      (SELECT timeline_id FROM pg_control_checkpoint()) AS timeline, ${database},
      to_regproc('delegation.run') IS NOT NULL AS "isSpread"`,
};

/**
 * What a request that takes answers of so many seconds ago reads from the replica. Once something has to come from the
 * primary all that follows does, so that nothing is read from before what was read already.
 */
export class StaleReads implements StandIn {
  private isLeft = false;
  /** Whether something of the answer is from the replica. */
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

  /** From now on all is read from the primary. */
  leave(): void {
    this.isLeft = true;
  }

  /** Whether the work is to be done again, by the primary alone: what it failed of may be the state of the replica. */
  mustRepeat(): boolean {
    const mayBeOld = this.hasRead;
    this.hasRead = false;
    this.isLeft = true;
    return mayBeOld;
  }

  /** What the work finds on the replica; on the primary where the replica is no longer to be asked, or fails in any way: it may have too much to do. */
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
