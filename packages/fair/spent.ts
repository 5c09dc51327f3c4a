/** A statement, or a wait for a turn, where it is none; its times are those of `performance.now()`. */
export interface Spending {
  /** With its placeholders: never a value. */
  readonly sql: string | undefined;
  /** What the service calls the statement. */
  readonly name?: string | undefined;
  readonly wantedAt: number;
  /** When it got its turn. */
  readonly begunAt: number;
  readonly endedAt: number;
}

/** What some work took of what it shares with other work: time in the database, and time until it got a turn there. */
export class Spent {
  /** Milliseconds; statements that run side by side each count. */
  databaseMs = 0;
  waitMs = 0;
  private kept: Spending[] = [];

  /** `keeps` says whether the statements are wanted, too. */
  constructor(readonly keeps: boolean) {}

  /** The longest statements and waits, in the order in which they were wanted, each statement on one line. */
  get all(): readonly Spending[] {
    return this.kept
      .map((each) => ({ ...each, sql: each.sql?.replace(/\s+/g, ' ').trim() }))
      .sort((one, other) => one.wantedAt - other.wantedAt);
  }

  /** Notes a statement that was answered just now. */
  noteAnswer(sql: string, wantedAt: number, sentAt: number, name?: string): void {
    const endedAt = performance.now();
    // One that was never sent has waited in vain.
    this.note(sql, wantedAt, sentAt === 0 ? endedAt : sentAt, endedAt, name);
  }

  /** Notes that a turn was waited for until now. */
  noteWait(wantedAt: number): void {
    const now = performance.now();
    this.note(undefined, wantedAt, now, now);
  }

  /** Counts here, too, what was done for several at once. */
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
