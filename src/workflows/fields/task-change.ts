import { type Stored } from './field-type.js';
import { type FileElement, type KeptFile, notOnTask, otherType, type StoredFile } from './file-value.js';
import { type Asker, type Guards, noLocks, type TaskLocks } from './protection.js';
import { type Invalid } from './invalid.js';

/** The changes that a payload or an action requests. All other values of the task stay. */
export interface TaskChange {
  stageId?: number;
  /** The requested stage, if only actions may enter it. The task must be in it, or begin in it if new. */
  staysIn?: number;
  assigneeId?: string | null;
  uniqueValue?: string | null;
  /** The public id of a new task, if it was needed before the task was created. */
  readonly publicId?: string;
  /** The values to set, by field id. */
  readonly set: Map<string, Stored>;
  /** The ids of fields to make blank. */
  readonly blank: Set<string>;
  /**
   * The complete lists of attachments, by field id. They are not in `set`, because the stored values also
   * depend on the task.
   */
  readonly files: Map<string, readonly FileElement[]>;
  readonly guards: Guards;
  readonly locks: TaskLocks;
  /** The Unique IDs of all tasks to which the task is to be linked, by side of a relationship. */
  readonly links: Map<string, readonly string[]>;
}

/** The guards and locks by which a definition protects tasks from changes. */
export interface Kept {
  readonly guards: Readonly<Record<Asker, Guards>>;
  readonly locks: TaskLocks;
}

/** An empty change, with the guards and locks that apply to this asker. */
export function emptyChange({ guards, locks }: Kept, from: Asker): TaskChange {
  const kept = { guards: guards[from], locks: from === 'payload' ? locks : noLocks };
  return { set: new Map(), blank: new Set(), files: new Map(), links: new Map(), ...kept };
}

/** The ids of the stages that lock a key of this change; undefined if there are none. */
export function barringStages(change: TaskChange): number[] | undefined {
  const { own } = change.locks;
  if (own.size === 0) return undefined;
  const named = [...namedKeys(change)];
  const barring = [...own].filter(([, { barred }]) => named.some((key) => barred.has(key)));
  return barring.length === 0 ? undefined : barring.map(([id]) => id);
}

function* namedKeys({ set, blank, files, links, stageId, assigneeId }: TaskChange): Iterable<string> {
  for (const keys of [set, blank, files, links]) yield* keys.keys();
  if (stageId !== undefined) yield 'Stage';
  if (assigneeId !== undefined) yield 'Assigned To';
}

export type NewFile = Exclude<FileElement, KeptFile>;

/** The attachments that a change adds. If a payload is parsed again, each attachment gets the same key. */
export function newFilesOf({
  files,
}: TaskChange): { readonly key: string; readonly field: string; readonly file: NewFile }[] {
  return [...files].flatMap(([field, elements]) =>
    elements.flatMap((file, at) => (file.from === 'task' ? [] : [{ key: keyOf(field, at), field, file }])),
  );
}

/**
 * Returns the attachments in the payload, by field id. If the task has exactly these, the payload changes no
 * attachments. Returns undefined if an attachment in the payload is new, or has no name or no media type.
 */
export function unchangedFiles({ files }: TaskChange): Map<string, Stored> | undefined {
  const values = new Map<string, readonly StoredFile[]>();
  for (const [field, elements] of files) {
    const shown = elements.flatMap((element) => (element.from === 'task' ? shownBy(element) : []));
    if (shown.length < elements.length) return undefined;
    values.set(field, shown);
  }
  return values;
}

/**
 * Returns a list with the attachment as a response shows it. The list is empty if the element leaves out the
 * name or the media type.
 */
function shownBy({ blobId, filename, contentType }: KeptFile): StoredFile[] {
  return filename === undefined || contentType === undefined ? [] : [{ blobId, filename, contentType }];
}

/**
 * The attachment for each element, or why the element is refused. `held` are the field's stored attachments.
 */
export function resolveFiles(
  field: string,
  elements: readonly FileElement[],
  held: readonly StoredFile[],
  uploaded: ReadonlyMap<string, StoredFile>,
): (StoredFile | Invalid)[] {
  const known = new Map(held.map((file) => [file.blobId, file]));
  return elements.map((element, at) =>
    element.from === 'task'
      ? keptFile(element, known.get(element.blobId))
      : (uploaded.get(keyOf(field, at)) ?? notOnTask),
  );
}

/**
 * The attachment that an element keeps or renames, or why the element is refused. Returns `file` itself if
 * nothing changes.
 */
export function keptFile(
  { blobId, filename, contentType }: KeptFile,
  file: StoredFile | undefined,
): StoredFile | Invalid {
  if (file?.blobId !== blobId) return notOnTask;
  if ((contentType ?? file.contentType) !== file.contentType) return otherType;
  return filename === undefined || filename === file.filename ? file : { ...file, filename };
}

/** The change with these attachments in `set`, by field id. A field without attachments is in `blank`. */
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

export function filesIn(stored: Stored | undefined): readonly StoredFile[] {
  return Array.isArray(stored) ? stored.filter((item: string | StoredFile) => typeof item !== 'string') : [];
}
