import { type Property } from '../property.js';
import { type FieldOptions, type FieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { parseValue } from '../parse-value.js';

/** The key of a file field: blank until tasks can hold attachments. */
export function fileProperty(name: string, type: FieldType, options: FieldOptions): Property {
  return {
    name,
    read(input) {
      const value = parseValue(type, input, options);
      return value instanceof Invalid ? value : undefined;
    },
    serialize: () => type.blank,
  };
}
