import { type User, type Users } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type Property } from '../property.js';

/** The key `Assigned To`: the e-mail of an active user, or null. */
export function assigneeProperty(users: Users): Property {
  return {
    name: 'Assigned To',
    read(input, change) {
      const user = input === null || input === '' ? null : find(users, input);
      if (user instanceof Invalid) return user;
      if (user && !user.active) return notAUser;
      change.assigneeId = user && user.id;
      return undefined;
    },
    repeats: (input, task) => typeof input === 'string' && users.find(input)?.id === task.assigneeId,
    isBlank: (task) => task.assigneeId === null,
    serialize: (task) => (task.assigneeId === null ? null : (users.get(task.assigneeId)?.email ?? null)),
    filter: {
      subject: { of: 'assignee' },
      order: { by: 'rank', ranks: users.ranked },
      parse(text) {
        const user = text === '' ? null : find(users, text);
        return user instanceof Invalid ? user : user && user.id;
      },
    },
  };
}

const notAUser = new Invalid('is not a user of this workspace');

function find(users: Users, email: unknown): User | Invalid {
  return (typeof email === 'string' ? users.find(email) : undefined) ?? notAUser;
}
