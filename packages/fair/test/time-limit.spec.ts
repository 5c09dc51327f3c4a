import { once } from 'node:events';
import { collectGarbage } from './collect-garbage.js';
import { withTimeLimit } from '../time-limit.js';

const nobody: readonly AbortSignal[] = [];
const forEver = 2 ** 30;

/** Work that ends only by its signal, and says why. */
async function endOf(signal: AbortSignal): Promise<unknown> {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason;
}

describe('withTimeLimit', () => {
  it('aborts with a TimeoutError when the time is up, and not before', async () => {
    const begun = performance.now();
    expect(await withTimeLimit(20.4, nobody, endOf)).toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(20.4);
  });

  it('aborts whatever is collected as garbage meanwhile, also where one limit lies within another', async () => {
    const stopping = new AbortController();
    const ended = withTimeLimit(500, [stopping.signal], (signal) => withTimeLimit(forEver, [signal], endOf));
    // Once is enough to lose a timer; it takes seconds where many files were tested before this one.
    await collectGarbage(2);
    expect(await ended).toMatchObject({ name: 'TimeoutError' });
  });

  it('aborts as another signal does, for its reason, even if that was before', async () => {
    const other = new AbortController();
    const during = withTimeLimit(forEver, [other.signal], endOf);
    other.abort('lost');
    expect([await during, await withTimeLimit(forEver, [other.signal], endOf)]).toEqual(['lost', 'lost']);
  });
});
