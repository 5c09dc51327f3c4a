import { TooCostly } from './expression-error.js';

/** Limits of one evaluation, and of all in one request, in units of about a tenth of a microsecond. */
export const MAX_UNITS_PER_EVALUATION = 100_000;
export const MAX_UNITS_PER_REQUEST = 500_000;

/** The additional cost allowed for each linked task that an evaluation reads. */
export const UNITS_PER_LINKED_TASK = 150;

/** The units of work that expressions may still use. The same work always costs the same. */
export class Allowance {
  private isOver = false;

  constructor(private left: number = MAX_UNITS_PER_REQUEST) {}

  /** The number of units left. */
  get units(): number {
    return Math.max(this.left, 0);
  }

  get isUsedUp(): boolean {
    return this.left <= 0;
  }

  /** Runs synchronous work within this allowance, and within the limit of one evaluation. */
  spend<T>(work: () => T, most = MAX_UNITS_PER_EVALUATION): T {
    const own = new Allowance(Math.min(this.left, most));
    const before = current;
    const granted = own.left;
    current = own;
    try {
      const result = work();
      // The expression may have caught the error: `… || true`.
      if (own.isOver) throw new TooCostly();
      return result;
    } finally {
      current = before;
      this.left -= granted - own.units;
    }
  }

  pay(units: number): void {
    this.left -= units;
    if (this.left >= 0) return;
    this.isOver = true;
    throw new TooCostly();
  }
}

let current = new Allowance(0);

/** Charges work to the present evaluation before it is done; throws if too few units are left. */
export function pay(units: number): void {
  current.pay(units);
}
