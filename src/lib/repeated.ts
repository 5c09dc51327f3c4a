/** Work that is done again and again, with a pause after each time; it must not throw. */
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
    }, this.pauseMs);
    this.timer.unref();
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.current;
  }
}
