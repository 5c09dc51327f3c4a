import { instants } from '../../schema/properties/instant.js';
import { type ListedProperty } from '../../schema/property.js';
import { type Order } from '../../schema/order.js';
import { type Workflow } from '../../workflows/workspace.js';
import { type Parameter, query } from '../parameters.js';
import { ref, type Schema } from '../schema.js';

/** The parameters by which the lists of a workflow can be filtered, one for each field and operator. */
export function filterParameters({ schema }: Workflow): Parameter[] {
  return [...schema.properties, ...instants.values()].flatMap(parametersOf);
}

function parametersOf({ name, filter }: ListedProperty): Parameter[] {
  if (!filter) return [];
  const value = name === 'Stage' ? ref('Stage') : textual;
  return [
    query(name, 'Is this value, or one of several; empty is blank.', several(value)),
    ...operatorsOf(filter.order).map((operator) =>
      query(`${name}[${operator}]`, meanings[operator], several(operator === 'contains' ? textual : value)),
    ),
  ];
}

const textual: Schema = { type: 'string' };
const several = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'array', items: schema }] });

const meanings = {
  ne: 'Is none of these values.',
  gt: 'Stands behind this value.',
  gte: 'Is this value or stands behind it.',
  lt: 'Stands before this value.',
  lte: 'Is this value or stands before it.',
  contains: 'Has this as a part or member.',
};

function operatorsOf({ by }: Order): (keyof typeof meanings)[] {
  if (by === 'ranks') return ['ne', 'contains'];
  return by === 'text' ? ['ne', 'gt', 'gte', 'lt', 'lte', 'contains'] : ['ne', 'gt', 'gte', 'lt', 'lte'];
}
