import { type User, type Users } from '../../schema/field-type.js';

/** The maximum length of a chain of deputies. */
export const MAX_HOPS = 3;

/** Whether a user is away on a day. */
export function isAway({ away }: User, today: string): boolean {
  return away != null && away.from <= today && today < away.until;
}

/**
 * The deputies of an absent user: the named deputy and, while that one is absent as well, the deputy's deputy. The
 * chain ends at a person who may not decide: otherwise that person could choose who approves.
 */
export function deputiesOf(
  userId: string,
  users: Users,
  today: string,
  mayStand: (id: string) => boolean,
): string[] {
  const found: string[] = [];
  let user = users.get(userId);
  while (user?.away && isAway(user, today) && found.length < MAX_HOPS) {
    const deputy = users.find(user.away.to);
    if (!deputy?.active || deputy.id === userId || found.includes(deputy.id) || !mayStand(deputy.id)) break;
    found.push(deputy.id);
    user = deputy;
  }
  return found;
}
