import { Rounds } from '../rounds.js';

/** Work that takes this long. */
function busyFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

describe('rounds', () => {
  // Rule: many who are sent something at once do not hold the event loop.
  it('let the event loop go round while many pieces of work wait', async () => {
    const rounds = new Rounds(5);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const work = (): void => {
      busyFor(2);
    };
    await Promise.all(Array.from({ length: 40 }, () => rounds.do(work)));
    clearImmediate(counting);
    // 80 ms of work in rounds of 5 ms; all of it at once would be one turn or two.
    expect(turns).toBeGreaterThan(10);
  });

  it('do what is given in its order, tell what comes of it, and go on where one fails', async () => {
    const rounds = new Rounds(5);
    const order: number[] = [];
    const all = [1, 2, 3].map((number) =>
      rounds.do(() => {
        order.push(number);
        if (number === 2) throw new Error('two');
        return number;
      }),
    );
    expect(await Promise.allSettled(all)).toMatchObject([
      { value: 1 },
      { reason: new Error('two') },
      { value: 3 },
    ]);
    expect(await rounds.do(() => order)).toEqual([1, 2, 3]);
  });
});
