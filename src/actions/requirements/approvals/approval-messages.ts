import { type Message, say, sentence } from '../../../common/message.js';
import { type TaskSchema } from '../../../workflows/fields/task-schema.js';
import { isApproval, isRejection, type JudgedGroup } from './judge-approvals.js';

/** Returns the reasons why a group is not complete. */
export function messagesOfGroup(group: JudgedGroup, schema: TaskSchema): Message[] {
  if (group.need === 'unneeded') return [];
  if (group.need === 'broken') return [say`${group.id}: the condition could not be evaluated`];
  const rejections = group.decisions.filter(isRejection);
  const rejected = rejections.map(
    ({ byId, comment }) => say`was rejected by ${emailsOf([byId], schema)}: ${comment ?? ''}`,
  );
  if (group.given === group.count) return rejected;
  return [missing(group, schema), ...rejected, ...ended(group)];
}

function missing(group: JudgedGroup, schema: TaskSchema): Message {
  const { id, count, given, reachable, eligible, open } = group;
  if (reachable < count) {
    const approved = group.decisions.filter(isApproval).map(({ byId }) => byId);
    if (approved.length > given && eligible.size >= count)
      return say`cannot be met: ${id} needs ${count}; ${emailsOf(approved, schema)} approved, but a person counts for one group only`;
    const who = emailsOf(eligible, schema);
    return who === ''
      ? say`cannot be met: ${id} needs ${count}, but nobody may approve`
      : say`cannot be met: ${id} needs ${count}, but only ${who} may approve`;
  }
  const more = count - given;
  const who = emailsOf(open, schema);
  return more === 1
    ? say`needs 1 more approval of ${id}: ${who} may`
    : say`needs ${more} more approvals of ${id}: ${who} may`;
}

/** Returns a message for each different reason why approvals are stale. */
function ended({ decisions }: JudgedGroup): Message[] {
  const reasons = new Map<string, Message>();
  for (const { decision, state, why } of decisions)
    if (decision === 'approve' && state !== 'ineligible' && why !== undefined)
      reasons.set(JSON.stringify(why), why);
  return [...reasons.values()].map((reason) => say`an approval is stale: ${sentence(reason)}`);
}

function emailsOf(ids: Iterable<string>, { users }: TaskSchema): string {
  return Array.from(ids, (id) => users.get(id)?.email ?? '').join(', ');
}
