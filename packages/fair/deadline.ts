import { type Spent } from './spent.js';

/** How long the work for one request may take; what is under way when the time is up is given up. */
export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private isMet = false;
  private waits = 0;
  /** How to give up each thing that is being done. */
  private readonly underWay = new Set<() => Promise<void>>();
  private readonly afterwards: (() => void)[] = [];

  /**
   * `isAnswered` says that the answer is on its way and may take its time; `tell` hears that all was given up; `refuse`
   * makes the error of work that came too late; `spent` is told what the work takes.
   */
  constructor(
    private readonly ms: number,
    private readonly isAnswered: () => boolean,
    private readonly tell: () => void,
    private readonly refuse: () => Error,
    readonly spent?: Spent,
  ) {}

  /** The time begins, or begins again. */
  start(ms = this.ms): void {
    clearTimeout(this.timer);
    if (this.isMet || this.isOver || this.waits > 0) return;
    this.timer = setTimeout(() => {
      if (!this.isAnswered()) this.expire();
    }, ms);
  }

  /** The request has been answered. */
  meet(): void {
    this.isMet = true;
    clearTimeout(this.timer);
    for (const work of this.afterwards.splice(0)) work();
  }

  /** Does this when the request has been answered, or nobody waits for the answer any more. */
  whenMet(work: () => void): void {
    if (this.isMet) work();
    else this.afterwards.push(work);
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    this.meet();
    this.isOver = true;
    void this.giveUp();
  }

  /** Waits for somebody else, for as long as that takes; afterwards the time begins again. */
  async except<T>(waiting: () => Promise<T>): Promise<T> {
    this.waits += 1;
    clearTimeout(this.timer);
    try {
      return await waiting();
    } finally {
      this.waits -= 1;
      this.start();
    }
  }

  /** Throws when the time is up. */
  check(): void {
    if (this.isOver) throw this.refuse();
  }

  /** Does work unless the time is up; gives it up when that happens meanwhile, and ends when it is given up. */
  async bound<T>(work: () => Promise<T>, giveUp: () => Promise<void>): Promise<T> {
    this.check();
    const end: { givenUp?: Promise<void> } = {};
    // Work that cannot be given up, as without a connection, is left to end by itself.
    const stop = (): Promise<void> => (end.givenUp = giveUp().catch(() => undefined));
    this.underWay.add(stop);
    try {
      return await work();
    } catch (error) {
      throw this.isOver ? this.refuse() : error;
    } finally {
      this.underWay.delete(stop);
      if (end.givenUp) await end.givenUp;
    }
  }

  private expire(): void {
    this.isOver = true;
    const timeout = new Promise((resolve) => setTimeout(resolve, CANCEL_TIMEOUT_MS).unref());
    void Promise.race([this.giveUp(), timeout]).then(this.tell);
  }

  private async giveUp(): Promise<void> {
    await Promise.all([...this.underWay].map((stop) => stop()));
  }
}

const CANCEL_TIMEOUT_MS = 1000;
