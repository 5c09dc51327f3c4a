import { type Stored } from './field-type.js';
import { type FileElement } from './file-value.js';
import { type Asker, type Guards } from './guards.js';
import { noLocks, type TaskLocks } from './locks.js';

/** What a payload asks of a task; what it does not name stays as it is. */
export interface TaskChange {
  stageId?: number;
  /** The stage that the payload names though no payload moves a task there: the task must stand in it already. */
  staysIn?: number;
  assigneeId?: string | null;
  uniqueValue?: string | null;
  /** Of the task that this creates, where somebody had to know it beforehand. */
  readonly publicId?: string;
  /** Values to set, by field id. */
  readonly set: Map<string, Stored>;
  /** Fields to blank, by id. */
  readonly blank: Set<string>;
  /** The complete attachments of file fields, by id; which values that makes depends on the task. */
  readonly files: Map<string, readonly FileElement[]>;
  /** What must stay as it is, by who asks for the change. */
  readonly guards: Guards;
  /** What the stages of tasks keep whoever asks from changing. */
  readonly locks: TaskLocks;
  /** The Unique IDs of the complete set of linked tasks, by the side of the relationship. */
  readonly links: Map<string, readonly string[]>;
}

/** What the definition keeps from being changed. */
export interface Kept {
  readonly guards: Readonly<Record<Asker, Guards>>;
  readonly locks: TaskLocks;
}

/** A change that asks for nothing yet, and may not alter what the definition keeps from this asker. */
export function emptyChange({ guards, locks }: Kept, from: Asker): TaskChange {
  const kept = { guards: guards[from], locks: from === 'payload' ? locks : noLocks };
  return { set: new Map(), blank: new Set(), files: new Map(), links: new Map(), ...kept };
}

/** The stages that bar this change, if it alters anything, by their ids; undefined where none does. */
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
