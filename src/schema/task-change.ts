import { type Stored } from './field-type.js';

/** What a payload asks of a task; what it does not name stays as it is. */
export interface TaskChange {
  stageId?: number;
  assigneeId?: string | null;
  uniqueValue?: string | null;
  /** Values to set, by field id. */
  readonly set: Map<string, Stored>;
  /** Fields to blank, by id. */
  readonly blank: Set<string>;
}

/** A change that asks for nothing yet. */
export function emptyChange(): TaskChange {
  return { set: new Map(), blank: new Set() };
}
