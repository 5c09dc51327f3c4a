import { deputiesOf } from '../../../src/actions/approvals/deputies.js';
import { UserDirectory } from '../../../src/schema/users.js';

const december = (to: string) => ({ from: '2026-12-01', until: '2026-12-15', to: `${to}@acme.test` });
const user = (id: string, to?: string) => ({
  id,
  email: `${id}@acme.test`,
  active: true,
  away: to === undefined ? null : december(to),
});
const users = new UserDirectory([user('d', 'e'), user('e')]);
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

  it('are none who may not decide', () => {
    expect(deputiesOf('d', users, '2026-12-02', () => false)).toEqual([]);
  });
});
