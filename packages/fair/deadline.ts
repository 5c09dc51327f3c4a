/** Longer than a statement waits for locks. */
const AHEAD_MS = 6_000;

/** The time limit of the work for one request. After it, nothing begins or commits. */
export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private isMet = false;
  private waits = 0;
  private endsAt = Infinity;

  /**
   * `isAnswered` tells whether the answer has begun, which may then take its time. `tell` is called when the time is
   * up. `refuse` makes the error for work that comes too late. `onWait` is called when the request begins to wait for
   * another party.
   */
  constructor(
    private readonly ms: number,
    private readonly isAnswered: () => boolean,
    private readonly tell: () => void,
    private readonly refuse: () => Error,
    public onWait: () => void = () => undefined,
  ) {}

  /** Starts the time, or starts it again. */
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

  /** To be called when the request is over. */
  meet(): void {
    this.isMet = true;
    clearTimeout(this.timer);
  }

  /** Runs a wait for another party, which has no limit. Afterwards, the time starts again. */
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

  /** Throws when the time is up. */
  check(): void {
    if (this.isOver) throw this.refuse();
  }

  /** Throws if so little time is left that work which begins now might end too late. */
  checkAhead(): void {
    const ahead = Math.min(AHEAD_MS, this.ms / 5);
    if (this.isOver || this.endsAt - performance.now() < ahead) throw this.refuse();
  }
}
