import { type Comparable, type ComparisonOperator, type Condition } from './condition.js';
import { Invalid } from './invalid.js';
import { type Ranked } from './order.js';
import { type Filter } from './property.js';
import { keepText } from './text.js';

/** Reads the values of one query parameter, any of which will do. */
export type Operator = (filter: Filter, texts: readonly string[]) => Condition | Invalid;

/** `Field=…`: is one of the values, or holds one. */
export const equal: Operator = (filter, texts) => anyOf(filter, texts, false);

/** The operators that stand in brackets behind a name. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['ne', (filter, texts) => anyOf(filter, texts, true)],
  ['gt', compared('gt')],
  ['gte', compared('gte')],
  ['lt', compared('lt')],
  ['lte', compared('lte')],
  ['contains', contains],
]);

function anyOf(filter: Filter, texts: readonly string[], isNegated: boolean): Condition | Invalid {
  const values = parseAll(filter, texts);
  return values instanceof Invalid ? values : { is: 'any-of', subject: filter.subject, values, isNegated };
}

function compared(operator: ComparisonOperator): Operator {
  return (filter, texts) => {
    const { subject, order } = filter;
    if (order.by === 'ranks') return new Invalid(`cannot be compared by ${operator}`);
    const bounds = parseAll(filter, texts);
    if (bounds instanceof Invalid) return bounds;
    const isRanked = order.by === 'rank' && order.ranks.includes(null);
    if (bounds.includes(null) && !isRanked)
      return new Invalid(`cannot be compared with blank by ${operator}`);
    if (order.by !== 'rank') return { is: operator, subject, as: order.by, bounds };
    // What the list no longer has stands behind it, but in no order.
    if (!bounds.every((bound) => order.ranks.includes(bound as Ranked)))
      return new Invalid(`is not one of: ${order.ranks.join(', ')}`);
    return { is: 'any-of', subject, ...membership(operator, order.ranks, bounds) };
  };
}

/** What stands before a bound is listed; what stands behind it may be in no list, so that the others are. */
function membership(
  operator: ComparisonOperator,
  ranks: readonly Ranked[],
  bounds: readonly Comparable[],
): { values: Ranked[]; isNegated: boolean } {
  const places = bounds.map((bound) => ranks.indexOf(bound as Ranked));
  const isNegated = operator.startsWith('gt');
  const place = isNegated ? Math.min(...places) : Math.max(...places);
  const isIncluded = operator === 'gt' || operator === 'lte';
  const values = ranks.slice(0, isIncluded ? place + 1 : place);
  return { values: isNegated && !ranks.includes(null) ? [...values, null] : values, isNegated };
}

function contains(filter: Filter, texts: readonly string[]): Condition | Invalid {
  const { subject, order } = filter;
  if (order.by !== 'ranks' && order.by !== 'text') return new Invalid('cannot be compared by contains');
  if (texts.includes('')) return new Invalid('cannot be compared with blank by contains');
  if (order.by === 'ranks') return anyOf(filter, texts, false);
  const refused = texts.map((text) => keepText(text, mostCharacters)).find((text) => text instanceof Invalid);
  return refused ?? { is: 'contains', subject, texts };
}

/** A text of that length is looked for at each place of a text of a million characters. */
const mostCharacters = 1000;

function parseAll(filter: Filter, texts: readonly string[]): Comparable[] | Invalid {
  const values: Comparable[] = [];
  for (const text of texts) {
    const value = filter.parse(text);
    if (value instanceof Invalid) return value;
    values.push(value);
  }
  return values;
}
