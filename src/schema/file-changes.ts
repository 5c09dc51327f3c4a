import { type Stored } from './field-type.js';
import { type FileElement, type KeptFile, type StoredFile } from './file-value.js';
import { type TaskChange } from './task-change.js';

/** An element with new bytes. */
export type NewFile = Exclude<FileElement, KeptFile>;

/** The elements with new bytes, each with a key that repeats when the same payload is read again. */
export function newFilesOf({
  files,
}: TaskChange): { readonly key: string; readonly field: string; readonly file: NewFile }[] {
  return [...files].flatMap(([field, elements]) =>
    elements.flatMap((file, at) => (file.from === 'task' ? [] : [{ key: keyOf(field, at), field, file }])),
  );
}

/**
 * The values, by field id, that the task must hold if the payload's attachments are those that it already has.
 * Undefined if the payload itself shows that they are not, or does not say which they are.
 */
export function unchangedFiles({ files }: TaskChange): Map<string, Stored> | undefined {
  const values = new Map<string, readonly StoredFile[]>();
  for (const [field, elements] of files) {
    const shown = elements.flatMap((element) =>
      element.from === 'task' && element.shown ? [element.shown] : [],
    );
    if (shown.length < elements.length) return undefined;
    values.set(field, shown);
  }
  return values;
}

/** The attachments that these elements yield, given those of the field; undefined for one that it lacks. */
export function resolveFiles(
  field: string,
  elements: readonly FileElement[],
  held: readonly StoredFile[],
  uploaded: ReadonlyMap<string, StoredFile>,
): (StoredFile | undefined)[] {
  const known = new Map(held.map((file) => [file.blobId, file]));
  return elements.map((element, at) =>
    element.from === 'task' ? known.get(element.blobId) : uploaded.get(keyOf(field, at)),
  );
}

/** The change, with these attachments in place of its elements. */
export function withFileChanges(
  change: TaskChange,
  files: ReadonlyMap<string, readonly StoredFile[]>,
): TaskChange {
  const set = new Map<string, Stored>(change.set);
  const blank = new Set(change.blank);
  for (const [field, value] of files) {
    blank.delete(field);
    if (value.length > 0) set.set(field, value);
    else blank.add(field);
  }
  return { ...change, set, blank };
}

function keyOf(field: string, at: number): string {
  return `${field}/${at}`;
}

/** The attachments in a stored value. */
export function filesIn(stored: Stored | undefined): readonly StoredFile[] {
  return Array.isArray(stored) ? stored.filter((item: string | StoredFile) => typeof item !== 'string') : [];
}
