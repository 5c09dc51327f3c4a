import { type AskedField } from '../../workflows/fields/field-type.js';
import { mayEditSome } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { askedBy, guardOf } from '../task/task-view.js';

/** The fields that the reader may set on some of the tasks, by their names, and by what each is asked for. */
export function settableFields(scope: Scope): ReadonlyMap<string, AskedField> {
  const { schema } = scope.workflow;
  const fields = new Map<string, AskedField>();
  if (!mayEditSome(scope)) return fields;
  for (const property of schema.properties) {
    const ask = property.fieldId ? askedBy(property, scope) : undefined;
    if (ask && !guardOf(schema, property)?.changing) fields.set(property.name, ask);
  }
  return fields;
}
