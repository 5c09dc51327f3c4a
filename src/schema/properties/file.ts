import { type FieldOptions, type FieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type Json, isJsonList } from '../../lib/json/json.js';
import { type Property } from '../property.js';
import { type FileElement, parseFileElement, type StoredFile } from '../file-value.js';
import { filesIn } from '../file-changes.js';
import { type FieldPlace, viewOf } from './field.js';

/** The key of a file field: a payload's array is the complete list of the task's attachments. */
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
    read(input, change) {
      const tooMany = new Invalid(`holds more than ${limit} files`);
      // So many are counted before a look at any.
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

/** How many files a field holds at most, where its definition does not say. */
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
  return new Set(kept).size < kept.length ? new Invalid('holds a file twice') : elements;
}

/** Whether the elements are these files, in this order. */
function areKept(elements: readonly FileElement[], files: readonly StoredFile[]): boolean {
  return (
    elements.length === files.length &&
    elements.every((element, at) => element.from === 'task' && element.blobId === files[at]?.blobId)
  );
}
