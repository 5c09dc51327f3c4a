/**
 * Work that is done again and again, with a pause after each time; it must not throw. A pause of 150 ms or more ends at
 * the nearest multiple of 150 ms in the life of the process, so that work with different pauses wakes it up once.
 */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly pauseMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.current = this.work().finally(() => {
        if (!this.isStopped) this.start();
      });
    }, toTick(this.pauseMs));
    this.timer.unref();
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.current;
  }
}

/** The length of a pause, changed so that it ends at a tick. */
function toTick(pauseMs: number): number {
  const now = performance.now();
  return pauseMs < TICK_MS ? pauseMs : Math.round((now + pauseMs) / TICK_MS) * TICK_MS - now;
}

const TICK_MS = 150;
