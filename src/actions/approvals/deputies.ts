import { type User, type Users } from '../../schema/field-type.js';

/** A decision is passed on at most so often. */
export const MAX_HOPS = 3;

/** Whether a user is away on a day. */
export function isAway({ away }: User, today: string): boolean {
  return away != null && away.from <= today && today < away.until;
}

/**
 * Who decides for a user who is away: whom they have named and, as long as that one is away, too, whom that one has named.
 * Who may not decide passes nothing on either, so that nobody chooses who approves in their place.
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
