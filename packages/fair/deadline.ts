/** The time limit of the work for one request; work that is under way when the time is up is cancelled. */
export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private isMet = false;
  private waits = 0;
  /** Functions that cancel the work under way. */
  private readonly underWay = new Set<() => Promise<void>>();

  /**
   * `isAnswered` tells whether the answer has begun, which may then take its time. `tell` is called when the work was
   * cancelled. `refuse` makes the error of work that comes too late. `onWait` is called when the request begins to wait
   * for another party.
   */
  constructor(
    private readonly ms: number,
    private readonly isAnswered: () => boolean,
    private readonly tell: () => void,
    private readonly refuse: () => Error,
    public onWait: () => void = () => undefined,
  ) {}

  /** Starts or restarts the time. */
  start(ms = this.ms): void {
    clearTimeout(this.timer);
    if (this.isMet || this.isOver || this.waits > 0) return;
    this.timer = setTimeout(() => {
      if (!this.isAnswered()) this.expire();
    }, ms);
  }

  /** Call it when the request is over. */
  meet(): void {
    this.isMet = true;
    clearTimeout(this.timer);
  }

  /** Waits for another party without a limit; afterwards the time starts again. */
  async except<T>(waiting: () => Promise<T>): Promise<T> {
    this.waits += 1;
    clearTimeout(this.timer);
    this.onWait();
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

  /** Runs work unless the time is up; cancels it when the time runs out, and then resolves when that is done. */
  async bound<T>(work: () => Promise<T>, giveUp: () => Promise<void>): Promise<T> {
    this.check();
    const end: { givenUp?: Promise<void> } = {};
    // Work that cannot be cancelled, as without a connection, ends by itself.
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
    void Promise.race([Promise.all([...this.underWay].map((stop) => stop())), timeout]).then(this.tell);
  }
}

const CANCEL_TIMEOUT_MS = 1000;
