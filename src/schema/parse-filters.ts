import { FieldErrors } from '../errors/field-errors.js';
import { type Condition } from './condition.js';
import { Invalid } from './invalid.js';
import { type TaskSchema } from './task-schema.js';

/** Reads a list's query parameters: they combine, and one that is repeated means any of its values. */
export function parseFilters(schema: TaskSchema, query: URLSearchParams): Condition[] {
  const errors = new FieldErrors();
  const conditions: Condition[] = [];
  for (const name of new Set(query.keys())) {
    const condition = parseFilter(schema, name, query.getAll(name));
    if (condition instanceof Invalid) errors.add(name, condition.message);
    else conditions.push(condition);
  }
  errors.throwIfAny();
  return conditions;
}

function parseFilter(schema: TaskSchema, name: string, texts: readonly string[]): Condition | Invalid {
  const property = schema.byName.get(name);
  if (!property) return new Invalid('is not a field of this workflow');
  if (!property.filter) return new Invalid('cannot be filtered');
  const anyOf: Condition['anyOf'][number][] = [];
  for (const text of texts) {
    const value = property.filter.parse(text);
    if (value instanceof Invalid) return value;
    anyOf.push(value);
  }
  return { subject: property.filter.subject, anyOf };
}
