import { Deadline } from '../deadline.js';

describe('a deadline', () => {
  it('tells when the time is up, and refuses what comes later', async () => {
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => (tell = resolve));
    const deadline = new Deadline(1, () => false, () => { tell(); }, () => new Error('late')); // prettier-ignore
    deadline.check();
    deadline.start();
    await told;
    expect(() => { deadline.check(); }).toThrow('late'); // prettier-ignore
  });
});
