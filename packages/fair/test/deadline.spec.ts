import { Deadline } from '../deadline.js';

describe('a deadline', () => {
  it('tells when the time is up, even where the work cannot be given up', async () => {
    let fail = (): void => undefined;
    const told = new Promise<string>((resolve) => {
      const deadline = new Deadline(1, () => false, () => { resolve('told'); }, () => new Error('late')); // prettier-ignore
      deadline.start();
      const work = (): Promise<void> => new Promise((_, reject) => (fail = () => { reject(new Error('lost')); })); // prettier-ignore
      const giveUp = (): Promise<void> => Promise.reject(new Error('there is no connection to cancel it by'));
      deadline.bound(work, giveUp).catch((error: unknown) => { resolve(String(error)); }); // prettier-ignore
    });
    expect(await told).toBe('told');
    fail();
  });
});
