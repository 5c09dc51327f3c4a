import { unavailable } from './errors/errors.js';

interface Waiting {
  readonly amount: number;
  readonly admit: () => void;
}

/** Something that there is only so much of: who finds it used up waits in line, and after 10 s is refused with 503. */
export class Budget {
  private free: number;
  private readonly line: Waiting[] = [];

  constructor(
    private readonly total: number,
    private readonly refusal: string,
    private readonly patienceMs = 10_000,
  ) {
    this.free = total;
  }

  /** Takes this much, or all there is if that is less; says how much it was. */
  async take(wanted: number): Promise<number> {
    const amount = Math.min(wanted, this.total);
    if (this.line.length === 0 && amount <= this.free) this.free -= amount;
    else await this.wait(amount);
    return amount;
  }

  /** Whether nothing is left of it. */
  get isUsedUp(): boolean {
    return this.free <= 0;
  }

  giveBack(amount: number): void {
    this.free += amount;
    for (let first = this.line[0]; first && first.amount <= this.free; first = this.line[0]) {
      this.line.shift();
      this.free -= first.amount;
      first.admit();
    }
  }

  /** Does the work while holding one unit. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    await this.take(1);
    try {
      return await work();
    } finally {
      this.giveBack(1);
    }
  }

  /** While holding one unit: lets others have it as long as work goes on that needs none. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.giveBack(1);
    try {
      return await work();
    } finally {
      await this.take(1);
    }
  }

  private wait(amount: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        amount,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(waiting), 1);
        // What stood behind the one that is gone may fit.
        this.giveBack(0);
        reject(unavailable(this.refusal));
      }, this.patienceMs);
      this.line.push(waiting);
    });
  }
}
