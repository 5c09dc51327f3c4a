import { Invalid } from '../invalid.js';
import { plain, textType, type User } from '../field-type.js';

const stranger = 'is not a user of this workspace';

/**
 * A user. Clients send and see an e-mail. An id is stored, so that a changed e-mail needs no update of tasks.
 */
export const person = textType(
  plain('Person', 'A user of the workspace, named by an e-mail whose case is ignored.', 'Reviewer'),
  {
    example: { sent: 'MINA@acme.test', shown: 'mina@acme.test' },
    parse(input, { users }) {
      const user = typeof input === 'string' ? users.find(input) : undefined;
      return user?.active ? user.id : new Invalid(stranger);
    },
    // A filter accepts a deactivated user, because tasks can still name that user.
    parseFilter: (text, { users }) => users.find(text)?.id ?? new Invalid(stranger),
    // A payload may repeat a deactivated user that the task already has.
    lenient: (options) => ({
      ...options,
      users: { ...options.users, find: (email) => stillActive(options.users.find(email)) },
    }),
    serialize: (stored, { users }) => users.get(stored)?.email ?? null,
    show: () => ({ as: 'person' }),
    ask: () => ({ by: 'person' }),
    order: ({ users }) => ({ by: 'rank', ranks: users.ranked }),
    indexedAs: 'exact',
    openapi: () => ({ type: ['string', 'null'], format: 'idn-email' }),
  },
);

function stillActive(user: User | undefined): User | undefined {
  return user && { ...user, active: true };
}
