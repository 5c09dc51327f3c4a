/** The time of the service as a process tells it, by which conditions and pages go. Tests may move it (`WTS_CLOCK`). */
export class ServiceClock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  /** Lets it be so many milliseconds ahead; behind where they are negative. */
  move(aheadMs: number): void {
    this.aheadMs = aheadMs;
  }
}
