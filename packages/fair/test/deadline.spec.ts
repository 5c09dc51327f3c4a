import { Deadline } from '../deadline.js';

describe('a deadline', () => {
  it('lets nothing begin that might end after it, unless the answer has begun', () => {
    let isAnswered = false;
    const deadlineWith = (left: number): Deadline => {
      const deadline = new Deadline(60_000, () => isAnswered, () => undefined, () => new Error('late')); // prettier-ignore
      deadline.start(left);
      return deadline;
    };
    const [early, late] = [deadlineWith(60_000), deadlineWith(5_000)];
    expect(() => { early.checkAhead(); }).not.toThrow(); // prettier-ignore
    expect(() => { late.checkAhead(); }).toThrow('late'); // prettier-ignore
    isAnswered = true;
    expect(() => { late.checkAhead(); }).not.toThrow(); // prettier-ignore
    for (const each of [early, late]) each.meet();
  });
});
