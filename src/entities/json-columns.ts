export type JsonColumn = string | number | boolean | null | JsonColumn[] | { [key: string]: JsonColumn };

/** A JSON column without its recursion, which TypeORM's types would follow into every branch. */
export type PlainColumn = string | number | boolean | null | object;

/** The default of a field, and what its type takes: schema/types says what that is. */
export interface FieldSettings {
  default?: JsonColumn;
  [setting: string]: JsonColumn | undefined;
}

/** What each kind of requirement says, by its key. */
export interface RequirementsColumn {
  [kind: string]: unknown;
}

export interface ChangeColumn {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  readonly what: string;
  readonly name: string;
  readonly detail?: string;
  readonly alterations?: readonly AlterationColumn[];
}

export interface AlterationColumn {
  readonly at: string;
  readonly before?: PlainColumn;
  readonly after?: PlainColumn;
  readonly relaxes?: true;
}

/** Keys of a part of a definition that have no column of their own. */
export type FurtherSettings = Readonly<Record<string, unknown>>;

/** A template that is filled in: the words of its author, and between them values, which nobody may take for words. */
export type FilledText = readonly (string | { readonly value: string })[];

/** When a user is away, from a day to another that is not part of it, and the e-mail of who decides for them. */
export interface AbsenceColumn {
  readonly from: string;
  readonly until: string;
  readonly to: string;
}

/** Why an approval counts no longer: parts of the task that have changed, or the stage that it has left. */
export interface StaleColumn {
  readonly parts?: readonly string[];
  readonly stage?: number;
}

/** A file of a task that goes with a mail. */
export interface AttachedFile {
  readonly blobId: string;
  readonly filename: string;
  readonly contentType: string;
}
