import { TakesTooLong } from './expression-error.js';

/** The limits of one evaluation and of all evaluations of one request, in milliseconds. */
const MS_PER_EVALUATION = 200;
const MS_PER_REQUEST = 1_000;

/** The time that the expressions of one request may still take. */
export class TimeAllowed {
  constructor(private left = MS_PER_REQUEST) {}

  get isUsedUp(): boolean {
    return this.left <= 0;
  }

  /** Runs one evaluation. Loops and slow functions call `checkTime`, which throws if the time is used up. */
  spend<T>(evaluate: () => T): T {
    const start = performance.now();
    endsAt = start + Math.min(this.left, MS_PER_EVALUATION);
    try {
      const result = evaluate();
      // The expression may have swallowed `TakesTooLong`, as `… || true` does.
      checkTime();
      return result;
    } finally {
      this.left -= performance.now() - start;
      endsAt = Infinity;
    }
  }
}

let endsAt = Infinity;

/** Throws `TakesTooLong` if the current evaluation has used up its time. */
export function checkTime(): void {
  if (performance.now() > endsAt) throw new TakesTooLong();
}
