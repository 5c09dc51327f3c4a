/** A statement, or a wait for a turn if it has no statement; times are those of `performance.now()`. */
export interface Spending {
  /** With placeholders instead of values. */
  readonly sql: string | undefined;
  /** The name of the statement in the service. */
  readonly name?: string | undefined;
  readonly wantedAt: number;
  /** When its turn came. */
  readonly begunAt: number;
  readonly endedAt: number;
}

/** The shared resources that work used: time in the database, and time waiting for a turn there. */
export class Spent {
  /** In milliseconds; parallel statements are added up. */
  databaseMs = 0;
  waitMs = 0;
  private kept: Spending[] = [];

  /** `keeps` tells whether to record each statement. */
  constructor(readonly keeps: boolean) {}

  /** The longest statements and waits, in the order of their requests, each statement on one line. */
  get all(): readonly Spending[] {
    return this.kept
      .map((each) => ({ ...each, sql: each.sql?.replace(/\s+/g, ' ').trim() }))
      .sort((one, other) => one.wantedAt - other.wantedAt);
  }

  /** Records a statement that has just been answered. */
  noteAnswer(sql: string, wantedAt: number, sentAt: number, name?: string): void {
    const endedAt = performance.now();
    // A statement that was never sent only waited.
    this.note(sql, wantedAt, sentAt === 0 ? endedAt : sentAt, endedAt, name);
  }

  /** Records a wait for a turn that has just ended. */
  noteWait(wantedAt: number): void {
    const now = performance.now();
    this.note(undefined, wantedAt, now, now);
  }

  /** Adds the resources of work that was shared with others. */
  add({ databaseMs, waitMs, kept }: Spent): void {
    this.databaseMs += databaseMs;
    this.waitMs += waitMs;
    if (this.keeps) this.keep(kept);
  }

  private note(
    sql: string | undefined,
    wantedAt: number,
    begunAt: number,
    endedAt: number,
    name?: string,
  ): void {
    this.waitMs += begunAt - wantedAt;
    this.databaseMs += endedAt - begunAt;
    if (this.keeps) this.keep([{ sql, name, wantedAt, begunAt, endedAt }]);
  }

  private keep(spendings: readonly Spending[]): void {
    this.kept.push(...spendings);
    if (this.kept.length < 2 * MAX_KEPT) return;
    const length = ({ wantedAt, endedAt }: Spending): number => endedAt - wantedAt;
    this.kept = this.kept.sort((one, other) => length(other) - length(one)).slice(0, MAX_KEPT);
  }
}

const MAX_KEPT = 100;
