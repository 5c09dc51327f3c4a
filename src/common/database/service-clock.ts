/** The clock of the service within a process, which conditions and pages use. Tests can move it (`WTS_CLOCK`). */
export class ServiceClock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  /** Sets it so many milliseconds ahead, or behind if negative. */
  move(aheadMs: number): void {
    this.aheadMs = aheadMs;
  }
}
