export type JsonColumn = string | number | boolean | null | JsonColumn[] | { [key: string]: JsonColumn };

/** A JSON value whose type is not recursive. TypeORM's types would expand a recursive type without end. */
export type PlainColumn = string | number | boolean | null | object;

/** The default of a field and the settings of its type, as `workflows/fields/types/` describes them. */
export interface FieldSettings {
  default?: JsonColumn;
  [setting: string]: JsonColumn | undefined;
}

export interface ChangeColumn {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  readonly what: string;
  readonly name: string;
  readonly detail?: string;
  readonly alterations?: readonly AlterationColumn[];
  readonly relaxes?: true;
}

export interface AlterationColumn {
  readonly at: string;
  readonly before?: PlainColumn;
  readonly after?: PlainColumn;
  readonly relaxes?: true;
}

/** Keys of a definition that have no column of their own. */
export type FurtherSettings = Readonly<Record<string, unknown>>;

/** An absence of a user. `until` is the first day back, and `to` is the e-mail of the deputy. */
export interface AbsenceColumn {
  readonly from: string;
  readonly until: string;
  readonly to: string;
}

/** Why an approval no longer counts: the changed parts of the task, or the stage that the task left. */
export interface StaleColumn {
  readonly parts?: readonly string[];
  readonly stage?: number;
}

/** A file of a task, attached to a mail. */
export interface AttachedFile {
  readonly blobId: string;
  readonly filename: string;
  readonly contentType: string;
}
