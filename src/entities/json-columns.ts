export type JsonColumn = string | number | boolean | null | JsonColumn[] | { [key: string]: JsonColumn };

export interface FieldSettings {
  default?: JsonColumn;
  decimals?: number;
  options?: string[];
  limit?: number;
  autoincrement?: boolean;
}

export interface RequirementsColumn {
  required_fields?: string[];
  checklist?: 'completed';
  assigned?: boolean;
  conditions?: { when: string; message: string }[];
  confirmation?: string;
}

export interface ChangeColumn {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  readonly what: string;
  readonly name: string;
  readonly detail?: string;
}
