import { type FieldOptions, type FieldType, parseFilterValue, readValue } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type FieldPlace, viewOf } from './field.js';
import { type Property } from '../property.js';

/** The key of the Unique ID field, whose value is a column of its own. */
export function uniqueIdProperty({ name }: FieldPlace, type: FieldType, options: FieldOptions): Property {
  return {
    name,
    view: viewOf(type, options),
    read(input, change) {
      const value = readValue(type, input, options);
      if (value instanceof Invalid) return value;
      // A task that is there already is found also by what no new one may be called.
      change.uniqueValue = typeof value === 'string' ? value : null;
      return value === undefined ? undefined : type.validate?.(value, options);
    },
    repeats: (input, task) => readValue(type, input, options) === task.uniqueValue,
    isBlank: (task) => task.uniqueValue === null,
    serialize: (task) => task.uniqueValue,
    filter: {
      subject: { of: 'unique-value' },
      order: type.order(options),
      parse: (text) => parseFilterValue(type, text, options),
    },
  };
}
