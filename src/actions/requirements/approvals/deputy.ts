import { type User, type Users } from '../../../workflows/fields/field-type.js';

/** The active user who decides for a user who is away on this day; undefined if there is none. */
export function deputyOf(userId: string, users: Users, today: string): User | undefined {
  const away = users.get(userId)?.away;
  if (away == null || today < away.from || today >= away.until) return undefined;
  const deputy = users.find(away.to);
  return deputy?.active && deputy.id !== userId ? deputy : undefined;
}
