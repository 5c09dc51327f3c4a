import { Refusal } from './errors/errors.js';
import { Budget } from './budget.js';

describe('a budget', () => {
  it('makes who finds it used up wait in line until enough is given back', async () => {
    const budget = new Budget(10, 'full');
    const admitted: string[] = [];
    const take = (name: string, bytes: number): Promise<unknown> =>
      budget.take(bytes).then(() => admitted.push(name));
    await take('first', 8);
    const second = take('second', 6);
    const third = take('third', 1);
    await Promise.resolve();
    expect(admitted).toEqual(['first']);
    budget.giveBack(8);
    await Promise.all([second, third]);
    expect(admitted).toEqual(['first', 'second', 'third']);
  });

  it('refuses with 503 after its patience, and leaves the line', async () => {
    const budget = new Budget(10, 'full', 20);
    await budget.take(10);
    await expect(budget.take(1)).rejects.toMatchObject({
      kind: 'unavailable',
      headers: { 'Retry-After': '1' },
    });
    await expect(budget.take(1)).rejects.toBeInstanceOf(Refusal);
    budget.giveBack(10);
    expect(await budget.take(10)).toBe(10);
  });

  it('lets one through that is larger than all there is', async () => {
    expect(await new Budget(10, 'full').take(1000)).toBe(10);
  });

  it('lends what is held while work goes on that needs none, and waits in line to go on', async () => {
    const budget = new Budget(1, 'full');
    const done: string[] = [];
    let answer: () => void = () => undefined;
    const first = budget.use(async () => {
      await budget.lend(() => new Promise<void>((resolve) => (answer = resolve)));
      done.push('first');
    });
    await budget.use(() => Promise.resolve(done.push('second')));
    const third = budget.use(() => Promise.resolve(done.push('third')));
    answer();
    await Promise.all([first, third]);
    expect(done.sort()).toEqual(['first', 'second', 'third']);
    expect(await budget.take(1)).toBe(1);
  });
});
