import { type Change } from './change.js';
import { type WorkspaceDefinition } from './definition.js';
import { type ListRows, type WorkspaceRows } from './workspace-rows.js';

/** A definition that is about to come into force. */
export interface ChangedDefinition {
  readonly rows: WorkspaceRows;
  /** Undefined for a new workspace. */
  readonly stored: WorkspaceDefinition | undefined;
  readonly merged: WorkspaceDefinition;
  readonly changes: readonly Change[];
  readonly matches: MatchedRows;
}

/** Which rows the elements of a merged definition have. */
export interface MatchedRows {
  /** The row of an element, if it has one; a renamed element keeps its row. */
  rowOf<Row extends object>(entity: new () => Row, element: object): Row | undefined;
  /** The rows without an element; those within a workflow that goes are not listed. */
  readonly gone: ListRows;
}
