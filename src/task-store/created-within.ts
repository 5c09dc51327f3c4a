import { type Comparison, type Condition, isComparison } from '../schema/condition.js';
import { type Bindings } from './where.sql.js';

/** A bound of the time of creation; of several in one condition the ids tell nothing. */
export function isCreationBound(condition: Condition): condition is Comparison {
  return isComparison(condition) && condition.subject.of === 'created' && condition.bounds.length === 1;
}

/**
 * What limits the ids of tasks to those that may meet the conditions on their time of creation, to follow other
 * conditions. That time is when their transaction began: ids and times have the same order but for as long as a
 * transaction takes, or a clock is set back: an hour is far more than either.
 */
export function createdWithin(conditions: readonly Condition[], bindings: Bindings): string {
  const limits = conditions.filter(isCreationBound).map(({ is, bounds: [bound] }) => {
    const [id, sign, margin] = is.startsWith('gt') ? ['below', '>', '-'] : ['above', '<', '+'];
    const instant = `${bindings.bind(bound)}::timestamptz ${margin} interval '1 hour'`;
    return ` AND t.id ${sign} (SELECT i.${id} FROM ids_about($1, $2, ${instant}) i)`;
  });
  return limits.join('');
}
