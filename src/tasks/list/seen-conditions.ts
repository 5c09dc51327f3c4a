import { type Condition } from '../../workflows/fields/condition.js';
import { type Permissions } from '../../workflows/model/roles.js';
import { type Scope } from '../../workflows/model/scope.js';

/**
 * Adds conditions, so that a viewer finds only tasks that this viewer sees. A condition on linked tasks then
 * ignores linked tasks that the viewer does not see.
 */
export const seenOf = (scope: Scope, conditions: readonly Condition[]): readonly Condition[] => [
  ...conditions.map((condition) => seenThere(scope, condition)),
  ...seenBy(scope, scope.bound?.permissions.sees ?? 'all'),
];

function seenThere(scope: Scope, condition: Condition): Condition {
  const { bound } = scope;
  if (!bound || !('conditions' in condition)) return condition;
  if (condition.is === 'one-of')
    return { ...condition, conditions: condition.conditions.map((one) => seenThere(scope, one)) };
  const { whole, assigned } = bound.sight;
  const { otherWorkflowId } = condition.link;
  const sees = assigned.includes(otherWorkflowId) ? 'assigned' : 'none';
  const limits = seenBy(scope, whole.includes(otherWorkflowId) ? 'all' : sees);
  return { ...condition, conditions: [...condition.conditions, ...limits] };
}

function seenBy({ bound }: Scope, sees: Permissions['sees']): Condition[] {
  if (!bound || sees === 'all') return [];
  const values = sees === 'assigned' ? [bound.userId] : [];
  return [{ is: 'any-of', subject: { of: 'assignee' }, values, isNegated: false }];
}
