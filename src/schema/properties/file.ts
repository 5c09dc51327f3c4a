import { type Property } from '../property.js';
import { type FieldOptions, type FieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';

/** The key of a file field: blank until tasks can hold attachments. */
export function fileProperty(name: string, type: FieldType, options: FieldOptions): Property {
  return {
    name,
    read(input) {
      const value = input === null || type.isBlank(input) ? undefined : type.parse(input, options);
      return value instanceof Invalid ? value : undefined;
    },
    serialize: () => type.blank,
  };
}
