import { byCodePoint } from '../../common/text.js';
import { type User, type Users } from './field-type.js';

// The limit of RFC 5321. E-mails in definitions have the same limit.
export const MAX_EMAIL_LENGTH = 254;

export class UserDirectory implements Users {
  readonly ranked: readonly string[];
  private readonly byId: ReadonlyMap<string, User>;
  private readonly byEmail: ReadonlyMap<string, User>;

  constructor(users: readonly User[]) {
    this.ranked = users.toSorted((a, b) => byCodePoint(a.email, b.email)).map(({ id }) => id);
    this.byId = new Map(users.map((user) => [user.id, user]));
    this.byEmail = new Map(users.map((user) => [user.email.toLowerCase(), user]));
  }

  find(email: string): User | undefined {
    return email.length > MAX_EMAIL_LENGTH ? undefined : this.byEmail.get(email.toLowerCase());
  }

  get(id: string): User | undefined {
    return this.byId.get(id);
  }
}
