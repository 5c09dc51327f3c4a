import { preferredStaleness } from '../../../src/http/stale-ok.js';

it.each<[string | string[] | undefined, number | undefined]>([
  [undefined, undefined],
  ['stale-ok=5', 5],
  ['respond-async;x=1 , Stale-OK = "5"; foo="a, b"', 5],
  ['stale-ok=1.5', undefined],
])('`Prefer: %s` takes an answer of %s seconds ago', (prefer, seconds) => {
  expect(preferredStaleness(prefer)).toBe(seconds);
});

it('reads the first 1,000 characters of a header, so that none can be made that is looked at for long', () => {
  const others = 'a="b",';
  expect(preferredStaleness(`${others.repeat(160)}stale-ok=5`)).toBe(5);
  expect(preferredStaleness(`${others.repeat(170)}stale-ok=5`)).toBeUndefined();
  // Each comma would have all quotes behind it looked at again.
  expect(preferredStaleness(`x${',q=\\"'.repeat(3000)}`)).toBeUndefined();
});
