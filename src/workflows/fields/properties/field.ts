import {
  type FieldIndex,
  type FieldOptions,
  type FieldType,
  parseFilterValue,
  parseValue,
  readValue,
  type Stored,
} from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type FieldView, type InExpressions, type Property } from '../property.js';
import { type TaskView } from '../task-view.js';
import { type Json, isJsonList } from '../../../../packages/exact-json/json.js';
import { filesIn, keptFile } from '../task-change.js';
import { type FileElement, parseFileElement, type StoredFile } from '../file-value.js';
import { say } from '../../../common/message.js';

interface FieldPlace {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** The key of a custom field, whose values are in the task's `fieldValues`. */
export function fieldProperty(
  { id, name, type: typeName }: FieldPlace,
  type: FieldType,
  options: FieldOptions,
): Property {
  return {
    name,
    fieldId: id,
    typeName,
    view: viewOf(type, options),
    inExpressions: inExpressions(type, options, (task) => task.fieldValues[id]),
    read(input, change) {
      const value = parseValue(type, input, options);
      if (value instanceof Invalid) return value;
      if (value === undefined) change.blank.add(id);
      else change.set.set(id, value);
      return undefined;
    },
    repeats(input, task, change) {
      const stored = task.fieldValues[id];
      if (stored === undefined || input === null) return false;
      const lenient = type.lenient?.(options, stored) ?? options;
      if (JSON.stringify(type.parse(input, lenient)) === JSON.stringify(stored)) return true;
      // A list may combine stored members with new ones.
      const value = Array.isArray(stored) ? parseValue(type, input, lenient) : undefined;
      if (value === undefined || value instanceof Invalid) return false;
      change.set.set(id, value);
      return true;
    },
    // An unticked checkbox is false, so it is never blank.
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

function viewOf(type: FieldType, options: FieldOptions): FieldView {
  return { show: type.show(options), ask: type.ask(options) };
}

/** How expressions read a field. A blank field has the same value as in a response. */
function inExpressions(
  type: FieldType,
  options: FieldOptions,
  storedIn: (task: TaskView) => Stored | undefined,
): InExpressions {
  return {
    kind: type.expressionKind,
    value(task) {
      const stored = storedIn(task);
      if (stored === undefined) return type.blank;
      return type.expressionValue?.(stored, options) ?? type.serialize(stored, options);
    },
  };
}

function indexOf(
  fieldId: string,
  { indexedAs: kind }: FieldType,
  options: FieldOptions,
): FieldIndex | undefined {
  return kind && options['index'] === true ? { fieldId, kind } : undefined;
}

/** The key of the Unique ID field, whose value has its own column. */
export function uniqueIdProperty({ name }: FieldPlace, type: FieldType, options: FieldOptions): Property {
  return {
    name,
    view: viewOf(type, options),
    inExpressions: inExpressions(type, options, (task) => task.uniqueValue ?? undefined),
    read(input, change) {
      const value = readValue(type, input, options);
      if (value instanceof Invalid) return value;
      // `uniqueValue` is set even if `validate` refuses it, because an existing task can have this value.
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

/** The key of a file field. A payload sends an array of all attachments that the field is to have. */
export function fileProperty(
  { id, name }: FieldPlace,
  type: FieldType,
  { limit = MAX_FILES, ...options }: FieldOptions<{ readonly limit?: number }>,
): Property {
  return {
    name,
    files: { limit },
    fieldId: id,
    view: viewOf(type, options),
    inExpressions: inExpressions(type, options, (task) => task.fieldValues[id]),
    read(input, change) {
      const tooMany = new Invalid(say`holds more than ${limit} files`);
      // The length is checked before the elements are parsed, because an array may be very long.
      if (isJsonList(input) && input.length > MAX_FILES) return tooMany;
      const elements = input === null ? [] : parseElements(input);
      if (elements instanceof Invalid) return elements;
      if (elements.length > limit) return tooMany;
      change.files.set(id, elements);
      if (elements.length === 0) change.blank.add(id);
      return undefined;
    },
    repeats(input, task) {
      const elements = parseElements(input);
      return !(elements instanceof Invalid) && areKept(elements, filesIn(task.fieldValues[id]));
    },
    isBlank: (task) => task.fieldValues[id] === undefined,
    serialize(task) {
      const files = task.fieldValues[id];
      return files === undefined ? type.blank : type.serialize(files, options);
    },
  };
}

/** The maximum number of files in a field without a limit in the definition. */
const MAX_FILES = 10_000;

function parseElements(input: Json): FileElement[] | Invalid {
  if (!isJsonList(input)) return new Invalid('is not an array of files');
  const elements: FileElement[] = [];
  for (const item of input) {
    const element = parseFileElement(item);
    if (element instanceof Invalid) return element;
    elements.push(element);
  }
  const kept = elements.flatMap((element) => (element.from === 'task' ? [element.blobId] : []));
  return new Set(kept).size < kept.length ? new Invalid('contains a file twice') : elements;
}

/** Whether the elements are exactly these files, in this order. */
function areKept(elements: readonly FileElement[], files: readonly StoredFile[]): boolean {
  return (
    elements.length === files.length &&
    elements.every((element, at) => element.from === 'task' && keptFile(element, files[at]) === files[at])
  );
}
