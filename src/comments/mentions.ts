import { type User } from '../workflows/fields/field-type.js';
import { MAX_EMAIL_LENGTH } from '../workflows/fields/users.js';
import { sees } from '../workflows/model/allowed.js';
import { type Workflow } from '../workflows/model/workspace.js';

/** Maps the lower-case address of a mentioned user to the user's id. */
export type Mentions = Readonly<Record<string, string>>;

/** Matches `@` and an address. The character before the `@` must not be part of an address. */
export const mention =
  /(?<![\p{L}\p{N}._%+-])@([^\s@<>()[\],;:"\\]{1,64}@[\p{L}\p{N}.-]{1,190}[\p{L}\p{N}])/gu;

/** Returns the mentioned active users who see the task; null if there are none. Ignores other addresses. */
export function mentionsIn(
  body: string,
  { id, schema, permissions }: Workflow,
  task: { readonly assigneeId: string | null },
): Mentions | null {
  const found = new Map<string, string>();
  for (const [, address = ''] of body.matchAll(mention)) {
    if (found.size === MOST_MENTIONED || address.length > MAX_EMAIL_LENGTH) continue;
    const user = schema.users.find(address);
    if (user && isAudience(user, permissions.permissionsOf(user.id, id), task))
      found.set(address.toLowerCase(), user.id);
  }
  return found.size === 0 ? null : Object.fromEntries(found);
}

/** Returns the addresses after an `@` in a text, in lower case, without those in `mentions`. */
export function addressesOfNobody(body: string, mentions: Mentions | null): string[] {
  const addresses = Array.from(body.matchAll(mention), ([, address = '']) => address.toLowerCase());
  return [...new Set(addresses)].filter((address) => !Object.hasOwn(mentions ?? {}, address));
}

/** One comment mentions at most this many users. Further addresses are ignored. */
export const MOST_MENTIONED = 50;

/** Whether a user may be notified of changes of a task. */
function isAudience(
  { active, id }: User,
  permissions: Parameters<typeof sees>[0],
  task: Parameters<typeof sees>[2],
): boolean {
  return active && sees(permissions, id, task);
}

/** Finds up to `MOST_FOUND` active users who see a task and whose address or name begins with a text. */
export function findAudience(
  text: string,
  { id, schema, permissions }: Workflow,
  task: { readonly assigneeId: string | null },
): User[] {
  const sought = text.toLowerCase();
  const found: User[] = [];
  for (const userId of schema.users.ranked) {
    const user = schema.users.get(userId);
    if (found.length < MOST_FOUND && user && isNamed(user, sought))
      if (isAudience(user, permissions.permissionsOf(userId, id), task)) found.push(user);
  }
  return found;
}

const MOST_FOUND = 8;

function isNamed({ email, firstName, lastName }: User, text: string): boolean {
  const full = [firstName, lastName].filter(Boolean).join(' ');
  return [email, full, lastName ?? ''].some((name) => name.toLowerCase().startsWith(text));
}
