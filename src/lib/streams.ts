/**
 * Takes what a source gives while its consumer is at work: each list holds all that came meanwhile. The source is not
 * asked for more while `most` things wait, by their weight.
 */
export async function* gather<T>(
  source: AsyncIterable<readonly T[]>,
  most: number,
  weigh: (thing: T) => number,
): AsyncGenerator<T[]> {
  const bell = new Bell();
  const state: Gathered<T> = { things: [], weight: 0, isOver: false, isUnwanted: false };
  const filling = fill(source, state, bell, most, weigh);
  // It may fail while the consumer is at work and nobody awaits it: without this, that would end the process.
  filling.catch(() => undefined);
  try {
    for (;;) {
      while (state.things.length === 0 && !state.isOver) await bell.rings();
      if (state.things.length === 0) break;
      const things = state.things;
      Object.assign(state, { things: [], weight: 0 });
      bell.ring();
      yield things;
    }
    // Throws what the source threw.
    await filling;
  } finally {
    state.isUnwanted = true;
    bell.ring();
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
  bell: Bell,
  most: number,
  weigh: (thing: T) => number,
): Promise<void> {
  try {
    for await (const things of source) {
      for (const thing of things) {
        state.things.push(thing);
        state.weight += weigh(thing);
      }
      bell.ring();
      while (state.weight >= most && !state.isUnwanted) await bell.rings();
      if (state.isUnwanted) return;
    }
  } finally {
    state.isOver = true;
    bell.ring();
  }
}

/** Wakes all who wait for it. */
class Bell {
  private waiting: (() => void)[] = [];

  rings(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  ring(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
