import { TooCostly } from './expression-error.js';

/** What one evaluation may cost, in units of about a tenth of a microsecond, and what all of one request may together. */
export const MAX_UNITS_PER_EVALUATION = 100_000;
export const MAX_UNITS_PER_REQUEST = 500_000;

/** What one evaluation may cost besides for each linked task that it reads. */
export const UNITS_PER_LINKED_TASK = 150;

/** Units of work that are left to expressions; the same work always costs the same. */
export class Allowance {
  private isOver = false;

  constructor(private left: number = MAX_UNITS_PER_REQUEST) {}

  /** How many units are left. */
  get units(): number {
    return Math.max(this.left, 0);
  }

  get isUsedUp(): boolean {
    return this.left <= 0;
  }

  /** Does work, which never waits, at the expense of this allowance; no more of it than one evaluation may cost. */
  spend<T>(work: () => T, most = MAX_UNITS_PER_EVALUATION): T {
    const own = new Allowance(Math.min(this.left, most));
    const before = current;
    const granted = own.left;
    current = own;
    try {
      const result = work();
      // An error may have been swallowed on the way: `… || true`.
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

/** Pays for work of the evaluation under way before it is done; throws where that is more than is left. */
export function pay(units: number): void {
  current.pay(units);
}
