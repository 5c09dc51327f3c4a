import { type Stored } from './field-type.js';
import { type FileElement } from './file-value.js';
import { type Asker, type Guards } from './guards.js';
import { noLocks, type TaskLocks } from './locks.js';

/** The changes that a payload requests; everything else stays as it is. */
export interface TaskChange {
  stageId?: number;
  /** The stage in the payload, if payloads may not move a task there: the task must already be in it. */
  staysIn?: number;
  assigneeId?: string | null;
  uniqueValue?: string | null;
  /** The public id of a new task, if it had to be known beforehand. */
  readonly publicId?: string;
  /** Values to set, by field id. */
  readonly set: Map<string, Stored>;
  /** Fields to blank, by id. */
  readonly blank: Set<string>;
  /** The complete attachments of file fields, by id; their stored values depend on the task. */
  readonly files: Map<string, readonly FileElement[]>;
  /** The keys that must not change, depending on the asker. */
  readonly guards: Guards;
  /** The locks of stages that apply to the asker. */
  readonly locks: TaskLocks;
  /** The Unique IDs of all linked tasks, by the side of the relationship. */
  readonly links: Map<string, readonly string[]>;
}

/** What the definition protects from changes. */
export interface Kept {
  readonly guards: Readonly<Record<Asker, Guards>>;
  readonly locks: TaskLocks;
}

/** A change without any request, with the protection that the definition has against this asker. */
export function emptyChange({ guards, locks }: Kept, from: Asker): TaskChange {
  const kept = { guards: guards[from], locks: from === 'payload' ? locks : noLocks };
  return { set: new Map(), blank: new Set(), files: new Map(), links: new Map(), ...kept };
}

/** The ids of the stages that forbid this change if it alters anything; undefined if none does. */
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
