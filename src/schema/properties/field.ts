import { type FieldOptions, type FieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type Property } from '../property.js';

export interface FieldPlace {
  readonly id: string;
  readonly name: string;
}

/** The key of a custom field, whose values live in the task's `fieldValues`. */
export function fieldProperty({ id, name }: FieldPlace, type: FieldType, options: FieldOptions): Property {
  return {
    name,
    read(input, change) {
      const value = input === null || type.isBlank(input) ? undefined : type.parse(input, options);
      if (value instanceof Invalid) return value;
      if (value === undefined) change.blank.add(id);
      else change.set.set(id, value);
      return undefined;
    },
    serialize(task) {
      const value = task.fieldValues[id];
      return value === undefined ? type.blank : type.serialize(value, options);
    },
    filter: {
      subject: { of: 'field', id },
      parse: (text) => (text === '' ? null : (type.parseFilter(text, options) ?? null)),
    },
  };
}
