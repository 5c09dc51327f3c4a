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
  readonly renames: DefinitionRenames;
}

/** New names by the former identities of elements. */
export type Renames = ReadonlyMap<string, string>;

/** The effective renames of the lists within a workspace or workflow, by the names of their kinds. */
export type RenamesWithin = ReadonlyMap<string, Renames>;

/** The effective renames of a file's `was:`. */
export interface DefinitionRenames {
  readonly workspace: RenamesWithin;
  readonly workflows: ReadonlyMap<string, RenamesWithin>;
}

export const renamesOf = (within: RenamesWithin | undefined, kind: string): Renames =>
  within?.get(kind) ?? new Map();

/** Which rows the elements of a merged definition have. */
export interface MatchedRows {
  /** The row of an element, if it has one; a renamed element keeps its row. */
  rowOf<Row extends object>(entity: new () => Row, element: object): Row | undefined;
  /** The rows without an element; those within a workflow that goes are not listed. */
  readonly gone: ListRows;
}
