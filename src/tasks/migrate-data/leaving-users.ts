import { UserEntity } from '../../workflows/model/entities/user.entity.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type WorkflowDefinition } from '../../workflows/model/definition.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { agree, plural } from '../../common/wording.js';

/** A user whom the change makes inactive. */
interface LeavingUser {
  readonly id: string;
  readonly email: string;
}

export const leavingUsers = ({ merged, matches }: ChangedDefinition): LeavingUser[] =>
  merged.users.flatMap((user) => {
    const { id, active: wasActive = false } = matches.rowOf(UserEntity, user) ?? {};
    return !user.active && wasActive && id !== undefined ? [{ id, email: user.email }] : [];
  });

/** What depends on a leaving user, in words: `2 rules act as them and fail`. */
export function leftBehind(
  { email }: LeavingUser,
  count: number,
  noun: string,
  [one, many]: readonly [string, string],
  names = '',
): Effect[] {
  const message = `${plural(count, noun)} ${agree(count, one, many)}${names}`;
  return effectOf('notes', 'user', email, count, message);
}

/** Finds the elements of the workflows that name leaving users. `textsOf` gives the texts that may name them. */
export function namingLeaving<Spec extends { readonly id: string }>(
  changed: ChangedDefinition,
  noun: string,
  said: readonly [string, string],
  elementsIn: (workflow: WorkflowDefinition) => readonly Spec[],
  textsOf: (element: Spec) => readonly unknown[],
): Effect[] {
  return leavingUsers(changed).flatMap((user) => {
    const isThem = (text: unknown): boolean =>
      typeof text === 'string' && text.toLowerCase() === user.email.toLowerCase();
    const names = changed.merged.workflows.flatMap((workflow) =>
      elementsIn(workflow).flatMap((each) =>
        textsOf(each).some(isThem) ? `${workflow.id} / ${each.id}` : [],
      ),
    );
    return leftBehind(user, names.length, noun, said, `: ${names.join(', ')}`);
  });
}
