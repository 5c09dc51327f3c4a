import { deputiesOf } from '../../../src/actions/approvals/deputies.js';
import { UserDirectory } from '../../../src/schema/users.js';

const december = (to: string) => ({ from: '2026-12-01', until: '2026-12-15', to: `${to}@acme.test` });
const user = (id: string, to?: string) => ({
  id,
  email: `${id}@acme.test`,
  active: true,
  away: to === undefined ? null : december(to),
});
const users = new UserDirectory([
  user('a', 'b'),
  user('b', 'c'),
  user('c', 'd'),
  user('d', 'e'),
  user('e'),
  user('f', 'g'),
  user('g', 'f'),
]);
const anybody = (): boolean => true;

describe('the deputies of a user', () => {
  // Rule (people.md 5): `until` is exclusive.
  it('decide from the first day until the day of the return, which is not part of it', () => {
    const on = (day: string): string[] => deputiesOf('d', users, day, anybody);
    expect([on('2026-11-30'), on('2026-12-01'), on('2026-12-14'), on('2026-12-15')]).toEqual([
      [],
      ['e'],
      ['e'],
      [],
    ]);
  });

  it('are passed on three times at most, and never in a circle', () => {
    expect(deputiesOf('a', users, '2026-12-02', anybody)).toEqual(['b', 'c', 'd']);
    expect(deputiesOf('f', users, '2026-12-02', anybody)).toEqual(['g']);
  });

  it('end with whoever may not decide, who passes nothing on either', () => {
    expect(deputiesOf('a', users, '2026-12-02', (id) => id !== 'b')).toEqual([]);
    expect(deputiesOf('a', users, '2026-12-02', (id) => id !== 'c')).toEqual(['b']);
  });
});
