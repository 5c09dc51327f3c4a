import { preferredStaleness } from '../../../src/http/stale-ok.js';

it.each<[string | string[] | undefined, number | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['stale-ok=5', 5],
  ['Stale-OK = "5"', 5],
  ['wait=10, stale-ok=5', 5],
  ['respond-async;x=1 , stale-ok=5; foo="a, b"', 5],
  [['wait=1', 'stale-ok=7'], 7],
  // What is too much is met by less.
  ['stale-ok=999999', 3600],
  ['stale-ok=0', 0],
  // No numbers.
  ['stale-ok', undefined],
  ['stale-ok=', undefined],
  ['stale-ok=-1', undefined],
  ['stale-ok=1.5', undefined],
  ['stale-ok=5s', undefined],
  ['stale-ok="5', undefined],
  ['stale-ok=99999999999', undefined],
  // The first one counts, whatever it says.
  ['stale-ok=x, stale-ok=5', undefined],
  ['stale-ok=3, stale-ok=5', 3],
  // What stands in another preference is none.
  ['foo; stale-ok=5', undefined],
  ['foo="a, stale-ok=5, b"', undefined],
  ['not-stale-ok=5', undefined],
])('`Prefer: %s` takes an answer of %s seconds ago', (prefer, seconds) => {
  expect(preferredStaleness(prefer)).toBe(seconds);
});

it('takes no longer for a long header', () => {
  expect(preferredStaleness(`${'a="b",'.repeat(3000)}${'"'.repeat(1001)}`)).toBeUndefined();
});
