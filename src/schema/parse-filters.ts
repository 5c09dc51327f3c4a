import { type FieldErrors } from '../errors/field-errors.js';
import { excerpt } from '../quote.js';
import { type Condition } from './condition.js';
import { Invalid } from './invalid.js';
import { listedProperty } from './listed-property.js';
import { equal, type Operator, operators } from './operators.js';
import { type ListedProperty } from './property.js';
import { type TaskSchema } from './task-schema.js';

/** Reads these parameters as filters: they combine, and one that is repeated means any of its values. */
export function parseFilters(
  schema: TaskSchema,
  query: URLSearchParams,
  names: Iterable<string>,
  errors: FieldErrors,
): Condition[] {
  const conditions: Condition[] = [];
  for (const name of names) {
    const condition = parseFilter(schema, name, query.getAll(name));
    if (condition instanceof Invalid) errors.add(name, condition.message);
    else conditions.push(condition);
  }
  return conditions;
}

function parseFilter(schema: TaskSchema, name: string, texts: readonly string[]): Condition | Invalid {
  const found = find(schema, name);
  if (found instanceof Invalid) return found;
  const { property, operator } = found;
  return property.filter ? operator(property.filter, texts) : new Invalid('cannot be filtered');
}

interface Found {
  readonly property: ListedProperty;
  readonly operator: Operator;
}

/** The exact name of a field wins over its reading as a name with an operator. */
function find(schema: TaskSchema, name: string): Found | Invalid {
  const exact = listedProperty(schema, name);
  if (exact) return { property: exact, operator: equal };
  const [, before = '', bracketed = ''] = /^(.*)\[([^[\]]*)\]$/s.exec(name) ?? [];
  const property = listedProperty(schema, before);
  if (!property) return new Invalid('is not a field of this workflow');
  const operator = operators.get(bracketed);
  return operator
    ? { property, operator }
    : new Invalid(`has no operator ${excerpt(bracketed)}, only ${[...operators.keys()].join(', ')}`);
}
