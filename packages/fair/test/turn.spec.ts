import { pauses } from '../turn.js';

describe('pauses', () => {
  it('give others the event loop between pieces of work that keep it busy together', async () => {
    let rounds = 0;
    setImmediate(() => (rounds += 1));
    const pause = pauses();
    for (let piece = 0; piece < 2; piece += 1) {
      for (const end = performance.now() + 6; performance.now() < end;) continue;
      await pause();
    }
    expect(rounds).toBe(1);
  });
});
