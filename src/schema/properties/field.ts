import {
  type FieldIndex,
  type FieldOptions,
  type FieldType,
  parseFilterValue,
  parseValue,
} from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type FieldView, type Property } from '../property.js';

export interface FieldPlace {
  readonly id: string;
  readonly name: string;
}

/** The key of a custom field, whose values live in the task's `fieldValues`. */
export function fieldProperty({ id, name }: FieldPlace, type: FieldType, options: FieldOptions): Property {
  return {
    name,
    fieldId: id,
    view: viewOf(type, options),
    read(input, change) {
      const value = parseValue(type, input, options);
      if (value instanceof Invalid) return value;
      if (value === undefined) change.blank.add(id);
      else change.set.set(id, value);
      return undefined;
    },
    repeats(input, task) {
      const stored = task.fieldValues[id];
      const value =
        stored === undefined || input === null
          ? undefined
          : type.parse(input, type.lenient?.(options, stored) ?? options);
      return value !== undefined && JSON.stringify(value) === JSON.stringify(stored);
    },
    // An unticked checkbox says no.
    isBlank: (task) => type.blank !== false && task.fieldValues[id] === undefined,
    serialize(task) {
      const value = task.fieldValues[id];
      return value === undefined ? type.blank : type.serialize(value, options);
    },
    filter: {
      subject: { of: 'field', id },
      order: type.order(options),
      index: indexOf(id, type, options),
      parse: (text) => parseFilterValue(type, text, options),
    },
  };
}

/** How pages show a field's value, and ask for one. */
export function viewOf(type: FieldType, options: FieldOptions): FieldView {
  return { show: type.show(options), ask: type.ask(options) };
}

function indexOf(
  fieldId: string,
  { indexedAs: kind }: FieldType,
  options: FieldOptions,
): FieldIndex | undefined {
  return kind && options['index'] === true ? { fieldId, kind } : undefined;
}
