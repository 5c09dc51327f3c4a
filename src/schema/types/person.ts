import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';

const stranger = 'is not a user of this workspace';

/** A user of the workspace, given and shown by e-mail, stored by id so that a renamed e-mail costs nothing. */
export const person = textType({
  parse(input, { users }) {
    const user = typeof input === 'string' ? users.find(input) : undefined;
    return user?.active ? user.id : new Invalid(stranger);
  },
  // Tasks may still name a user who left.
  parseFilter: (text, { users }) => users.find(text)?.id ?? new Invalid(stranger),
  serialize: (stored, { users }) => users.get(stored)?.email ?? null,
  order: ({ users }) => ({ by: 'rank', ranks: users.ranked }),
  openapi: () => ({ type: ['string', 'null'], format: 'idn-email' }),
});
