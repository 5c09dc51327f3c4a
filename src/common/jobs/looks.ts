/**
 * Decides when this process looks for due work. One process of the installation looks once a second and
 * notifies the others, which then start their wait again. If that process is gone or suspended, another
 * process looks less than half a second later.
 */
export class Looks {
  private regular: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;
  private instant: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private endedAt = -Infinity;
  private isStopped = false;

  /** `look` returns the number of milliseconds until the next work is due. It must not throw. */
  constructor(private readonly look: (isRegular: boolean) => Promise<number>) {}

  start(): void {
    this.plan(0);
  }

  /** Starts the wait again, because another process has looked. */
  wait(): void {
    this.plan(PERIOD_MS + MARGIN_MS * (1 + 2 * Math.random()));
  }

  /** Looks soon, at most every 150 ms, because something may be due. */
  wake(): void {
    if (this.isStopped || this.soon) return;
    this.soon = setTimeout(
      () => {
        this.soon = undefined;
        void this.begin(false);
      },
      Math.max(0, this.endedAt + GAP_MS - performance.now()),
    ).unref();
  }

  /** Resolves when a running look has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of [this.regular, this.soon, this.instant]) clearTimeout(timer);
    await this.current;
  }

  private plan(ms: number): void {
    clearTimeout(this.regular);
    if (this.isStopped) return;
    this.regular = setTimeout(() => {
      void this.begin(true).then(() => {
        this.plan(PERIOD_MS);
      });
    }, ms).unref();
  }

  private begin(isRegular: boolean): Promise<void> {
    return (this.current = this.current.then(async () => {
      if (this.isStopped) return;
      const nextMs = await this.look(isRegular);
      this.endedAt = performance.now();
      if (nextMs < PERIOD_MS) this.wakeIn(nextMs);
    }));
  }

  /** Looks again in `ms`, when work is due. */
  private wakeIn(ms: number): void {
    clearTimeout(this.instant);
    this.instant = setTimeout(() => {
      this.wake();
    }, ms).unref();
  }
}

const PERIOD_MS = 1000;
const MARGIN_MS = 100;
const GAP_MS = 150;
