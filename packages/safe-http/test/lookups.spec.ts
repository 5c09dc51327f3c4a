import { type LookupAddress } from 'node:dns';
import { Lookups } from '../lookups.js';

// Rule: a look-up keeps one of few threads busy for as long as the servers of its zone take. So names that hang keep nobody
// else from looking up others: a workspace has a third of those under way at most, and one for each name.
describe('names that hang', () => {
  const address: LookupAddress = { address: '192.0.2.1', family: 4 };
  let begun: string[];
  let hanging: ((addresses: LookupAddress[]) => void)[];
  let lookups: Lookups;

  beforeEach(() => {
    begun = [];
    hanging = [];
    lookups = new Lookups((hostname) => {
      begun.push(hostname);
      return hostname.startsWith('hangs')
        ? new Promise((resolve) => hanging.push(resolve))
        : Promise.resolve([address]);
    }, 6);
  });

  it('of one workspace leave room for those of others', async () => {
    const asked = Array.from({ length: 100 }, (_, n) => lookups.find(1, `hangs-${n}.test`));
    expect(await lookups.find(2, 'good.test')).toEqual([address]);
    expect(begun).toEqual(['hangs-0.test', 'hangs-1.test', 'good.test']);
    // Each that ends lets the next one begin.
    while (begun.length < 101) {
      for (const end of hanging.splice(0)) end([address]);
      await new Promise(setImmediate);
    }
    for (const end of hanging) end([address]);
    expect(await Promise.all(asked)).toHaveLength(100);
  });

  it('are looked up once for all who ask meanwhile, and anew afterwards', async () => {
    const asked = Array.from({ length: 100 }, () => lookups.find(1, 'hangs.test'));
    expect(await lookups.find(1, 'good.test')).toEqual([address]);
    expect(begun).toEqual(['hangs.test', 'good.test']);
    for (const end of hanging) end([address]);
    expect(await Promise.all(asked)).toHaveLength(100);
    await lookups.find(1, 'good.test');
    expect(begun).toEqual(['hangs.test', 'good.test', 'good.test']);
  });

  it('that fail are looked up anew, too', async () => {
    const failing = new Lookups(() => Promise.reject(new Error('no')), 1);
    await expect(failing.find(1, 'a.test')).rejects.toThrow('no');
    await expect(failing.find(1, 'a.test')).rejects.toThrow('no');
  });
});
