/**
 * Prefetches from a source while its consumer works: each list holds all that arrived meanwhile. The source pauses
 * while things of the weight `most` wait.
 */
export async function* gather<T>(
  source: AsyncIterable<readonly T[]>,
  most: number,
  weigh: (thing: T) => number,
): AsyncGenerator<T[]> {
  const signal = new Signal();
  const state: Gathered<T> = { things: [], weight: 0, isOver: false, isUnwanted: false };
  const filling = fill(source, state, signal, most, weigh);
  // It may fail while nothing awaits it; without this, the rejection would be unhandled.
  filling.catch(() => undefined);
  try {
    for (;;) {
      while (state.things.length === 0 && !state.isOver) await signal.raised();
      if (state.things.length === 0) break;
      const things = state.things;
      Object.assign(state, { things: [], weight: 0 });
      signal.raise();
      yield things;
    }
    // Rethrows the error of the source.
    await filling;
  } finally {
    state.isUnwanted = true;
    signal.raise();
  }
}

interface Gathered<T> {
  things: T[];
  weight: number;
  isOver: boolean;
  isUnwanted: boolean;
}

async function fill<T>(
  source: AsyncIterable<readonly T[]>,
  state: Gathered<T>,
  signal: Signal,
  most: number,
  weigh: (thing: T) => number,
): Promise<void> {
  try {
    for await (const things of source) {
      for (const thing of things) {
        state.things.push(thing);
        state.weight += weigh(thing);
      }
      signal.raise();
      while (state.weight >= most && !state.isUnwanted) await signal.raised();
      if (state.isUnwanted) return;
    }
  } finally {
    state.isOver = true;
    signal.raise();
  }
}

/** Wakes all waiters. */
class Signal {
  private waiting: (() => void)[] = [];

  raised(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  raise(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
