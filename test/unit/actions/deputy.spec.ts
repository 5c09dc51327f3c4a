import { deputyOf } from '../../../src/actions/requirements/approvals/who-may-approve.js';
import { UserDirectory } from '../../../src/workflows/fields/users.js';

const december = (to: string) => ({ from: '2026-12-01', until: '2026-12-15', to: `${to}@acme.test` });
const user = (id: string, to?: string) => ({
  id,
  email: `${id}@acme.test`,
  active: true,
  away: to === undefined ? null : december(to),
});
const users = new UserDirectory([user('d', 'e'), user('e')]);

describe('the deputy of a user', () => {
  // `until` is exclusive.
  it('decides from the first day of the absence to the day before the return', () => {
    const on = (day: string): string | undefined => deputyOf('d', users, day)?.id;
    const days = ['2026-11-30', '2026-12-01', '2026-12-14', '2026-12-15'];
    expect(days.map(on)).toEqual([undefined, 'e', 'e', undefined]);
  });

  // Rule: an absence has one hop. A deputy who is away as well passes nothing on.
  it('is the named user, even while that user is absent', () => {
    const chain = new UserDirectory([user('c', 'd'), user('d', 'e'), user('e')]);
    expect(deputyOf('c', chain, '2026-12-02')?.id).toBe('d');
  });
});
