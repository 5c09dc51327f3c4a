import fc from 'fast-check';
import { FairSemaphore, type Holder } from '../semaphore.js';

const [a, b, c] = [1, 2, 3].map((workspaceId) => ({ workspaceId, keyId: 'key' })) as [Holder, Holder, Holder];
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Requests permits, and adds a note to `served` when they are granted. */
function asks(
  semaphore: FairSemaphore,
  served: string[],
): (name: string, holder: Holder, amount?: number) => void {
  return (name, holder, amount = 1) =>
    void semaphore.acquire(holder, amount).then(
      () => served.push(name),
      () => undefined,
    );
}

class Full extends Error {}

describe('a fair semaphore', () => {
  it('serves the keys that wait in turn, and each in the order it asked', async () => {
    const semaphore = new FairSemaphore(1, () => new Full(), { ofKey: 1, ofWorkspace: 1 });
    const served: string[] = [];
    const ask = asks(semaphore, served);
    await semaphore.acquire(a);
    for (const name of ['a1', 'a2', 'a3']) ask(name, a);
    for (const name of ['b1', 'b2']) ask(name, b);
    ask('c1', c);
    for (const holder of [a, a, b, c, a, b]) {
      semaphore.release(holder);
      await settled();
    }
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('refuses at once whom the full line of a key does not take, and nobody else', async () => {
    const semaphore = new FairSemaphore(1, () => new Full(), { ofKey: 1, ofWorkspace: 1, mostWaiting: 1 });
    const served: string[] = [];
    const ask = asks(semaphore, served);
    await semaphore.acquire(a);
    ask('a1', a);
    await expect(semaphore.acquire(a)).rejects.toThrow(Full);
    expect(() => {
      semaphore.refuseIfFull(a);
    }).toThrow(Full);
    ask('b1', b);
    for (const holder of [a, a]) {
      semaphore.release(holder);
      await settled();
    }
    expect(served).toEqual(['a1', 'b1']);
  });

  it('keeps half of its permits from one key, and a quarter from one workspace', async () => {
    const semaphore = new FairSemaphore(8, () => new Full(), { waitTimeoutMs: 500 });
    const served: string[] = [];
    const ask = asks(semaphore, served);
    for (let n = 0; n < 10; n += 1) ask('one key', a);
    await settled();
    expect(served).toHaveLength(4);
    for (let n = 0; n < 10; n += 1) ask('its workspace', { ...a, keyId: 'other' });
    await settled();
    expect(served).toHaveLength(6);
    ask('another', b, 2);
    await settled();
    expect(served.at(-1)).toBe('another');
  });

  it('lets nobody who wants few pass one who wants many and whose turn it is', async () => {
    const semaphore = new FairSemaphore(8, () => new Full());
    const served: string[] = [];
    const ask = asks(semaphore, served);
    for (const holder of [a, b]) await semaphore.acquire(holder, 3);
    ask('many', c, 4);
    ask('few', a, 1);
    await settled();
    expect(served).toEqual([]);
    semaphore.release(b, 3);
    await settled();
    expect(served).toEqual(['many', 'few']);
  });

  it('refuses with 503 after its time-out, and leaves the line', async () => {
    const semaphore = new FairSemaphore(10, () => new Full(), {
      ofKey: 10,
      ofWorkspace: 10,
      waitTimeoutMs: 20,
    });
    await semaphore.acquire(a, 8);
    const refused = semaphore.acquire(b, 4);
    const behind = semaphore.acquire(c, 2);
    await expect(refused).rejects.toBeInstanceOf(Full);
    // What stood behind it fits.
    expect(await behind).toBe(2);
    semaphore.release(c, 2);
    semaphore.release(a, 8);
    expect(await semaphore.acquire(a, 10)).toBe(10);
  });

  it('gives one who wants more than its share all of that', async () => {
    expect(await new FairSemaphore(10, () => new Full()).acquire(a, 1000)).toBe(5);
    expect(await new FairSemaphore(1, () => new Full()).acquire(a, 1000)).toBe(1);
  });

  it('releases what is held while work goes on that needs none, and waits in line to go on', async () => {
    const semaphore = new FairSemaphore(1, () => new Full());
    const done: string[] = [];
    let answer: () => void = () => undefined;
    const first = semaphore.use(a, async () => {
      await semaphore.releaseWhile(a, () => new Promise<void>((resolve) => (answer = resolve)));
      done.push('first');
    });
    await semaphore.use(b, () => Promise.resolve(done.push('second')));
    const third = semaphore.use(c, () => Promise.resolve(done.push('third')));
    answer();
    await Promise.all([first, third]);
    expect(done.toSorted()).toEqual(['first', 'second', 'third']);
    expect(await semaphore.acquire(a)).toBe(1);
  });

  it('has no more permits when one that was lent is not to be had again', async () => {
    const semaphore = new FairSemaphore(1, () => new Full(), { waitTimeoutMs: 20 });
    const working = semaphore.use(a, () => semaphore.releaseWhile(a, () => semaphore.acquire(b)));
    await expect(working).rejects.toBeInstanceOf(Full);
    await expect(semaphore.acquire(c)).rejects.toBeInstanceOf(Full);
    semaphore.release(b);
    expect(await semaphore.acquire(c)).toBe(1);
  });

  it('whatever is asked for and given back: never more than there is, no share exceeded, all served', async () => {
    const asking = fc.record({ key: fc.nat(5), amount: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(asking, { maxLength: 40 }), fc.array(fc.nat()), async (wanted, order) => {
        const semaphore = new FairSemaphore(8, () => new Full());
        const holders = wanted.map(({ key }) => ({ workspaceId: key % 3, keyId: `${key}` }));
        const held: { holder: Required<Holder>; amount: number }[] = [];
        const sumOf = (is: (holder: Holder) => boolean): number =>
          held.filter(({ holder }) => is(holder)).reduce((sum, { amount }) => sum + amount, 0);
        const broken: unknown[] = [];
        let served = 0;
        for (const [at, holder] of holders.entries())
          void semaphore.acquire(holder, wanted[at]?.amount).then((amount) => {
            held.push({ holder, amount });
            served += 1;
            if (sumOf(() => true) > 8) broken.push('all', held);
            if (sumOf(({ keyId }) => keyId === holder.keyId) > 4) broken.push('key', held);
            if (sumOf(({ workspaceId }) => workspaceId === holder.workspaceId) > 6)
              broken.push('workspace', held);
          });
        await settled();
        for (let step = 0; held.length > 0; step += 1) {
          const [over] = held.splice((order[step] ?? 0) % held.length, 1);
          if (over) semaphore.release(over.holder, over.amount);
          await settled();
        }
        expect({ served, broken }).toEqual({ served: wanted.length, broken: [] });
      }),
    );
  });
});
