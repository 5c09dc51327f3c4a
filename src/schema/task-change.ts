import { type Stored } from './field-type.js';
import { type FileElement } from './file-value.js';
import { type Guards } from './guards.js';

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
  /** The Unique IDs of the complete set of linked tasks, by the side of the relationship. */
  readonly links: Map<string, readonly string[]>;
}

/** A change that asks for nothing yet, and may not alter what these guards hold. */
export function emptyChange(guards: Guards): TaskChange {
  return { set: new Map(), blank: new Set(), files: new Map(), guards, links: new Map() };
}
