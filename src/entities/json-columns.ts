export type JsonColumn = string | number | boolean | null | JsonColumn[] | { [key: string]: JsonColumn };

export interface FieldSettings {
  default?: JsonColumn;
  decimals?: number;
  options?: string[];
  limit?: number;
  autoincrement?: boolean;
}

/** What each kind of requirement says, by its key. */
export interface RequirementsColumn {
  [kind: string]: unknown;
}

/** A row of any table, as JSON spells it. */
export interface RowColumns {
  readonly [column: string]: unknown;
}

/** The rows of a definition by the names of their tables. */
export interface DefinitionRows {
  readonly [table: string]: readonly RowColumns[];
}

export interface ChangeColumn {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  readonly what: string;
  readonly name: string;
  readonly detail?: string;
}
