/** The remaining milliseconds that new work needs: more than the 5 s that a statement waits for locks. */
const AHEAD_MS = 6_000;

/** The time limit for a request until its answer begins. After the deadline, no work begins or commits. */
export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private isMet = false;
  private waits = 0;
  private endsAt = Infinity;

  /**
   * `isAnswered` returns whether the answer has begun: an answer has no time limit. `tell` is called when the
   * time is up. `refuse` creates the error for late work. `onWait` is called when the request begins to wait
   * for another party.
   */
  constructor(
    private readonly ms: number,
    private readonly isAnswered: () => boolean,
    private readonly tell: () => void,
    private readonly refuse: () => Error,
    public onWait: () => void = () => undefined,
  ) {}

  /** Starts or restarts the time limit. */
  start(ms = this.ms): void {
    clearTimeout(this.timer);
    this.endsAt = Infinity;
    if (this.isMet || this.isOver || this.waits > 0) return;
    this.endsAt = performance.now() + ms;
    this.timer = setTimeout(() => {
      if (this.isAnswered()) return;
      this.isOver = true;
      this.tell();
    }, ms);
  }

  /** Ends the time limit when the request is over. */
  meet(): void {
    this.isMet = true;
    clearTimeout(this.timer);
  }

  /** Waits for another party without a time limit. Afterwards, restarts the time limit. */
  async except<T>(waiting: () => Promise<T>): Promise<T> {
    this.waits += 1;
    this.endsAt = Infinity;
    clearTimeout(this.timer);
    this.onWait();
    try {
      return await waiting();
    } finally {
      this.waits -= 1;
      this.start();
    }
  }

  /** Throws if the time is up. */
  check(): void {
    if (this.isOver) throw this.refuse();
  }

  /**
   * Throws if the time is up. Before the answer begins, also throws if too little time remains. Enough is
   * `AHEAD_MS`, or a fifth of the time limit if that is less. After the answer begins, the remaining time
   * does not matter, because a slow client may take longer to read a list.
   */
  checkAhead(): void {
    const ahead = Math.min(AHEAD_MS, this.ms / 5);
    const isLate = !this.isAnswered() && this.endsAt - performance.now() < ahead;
    if (this.isOver || isLate) throw this.refuse();
  }
}
