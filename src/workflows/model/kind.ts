import { type Static, type TArray, type TSchema } from 'typebox';
import { type FurtherSettings } from '../../common/database/json-columns.js';
import { listIn } from './list-in.js';
import { type Impact } from './impact.js';
import { type StoredRows, withoutFormer } from './stored-rows.js';
import { type Report, type WorkflowScope, type WorkspaceScope } from './check/kit.js';

/**
 * A kind of list in a definition, such as `rules`. Its schema, its checks, its differences and its rows all
 * derive from this plain value. A list of a workflow is checked within its workflow.
 */
export interface Kind<Spec extends object = object, Of extends Holding = Holding> extends Pick<
  Impact,
  'effects' | 'begin'
> {
  /** The word for one element of the list in plans and messages, such as `rule`. */
  readonly name: string;
  /** The key of the list in a definition, such as `rules`. */
  readonly list: string;
  readonly of: Of;
  /**
   * The schema of the list. If a setting names another element, a `NameMark` in the schema tells the kind of
   * that element.
   */
  readonly schema: TArray;
  /**
   * The keys of the settings that together identify an element in its list. The last of these settings is the
   * element's own name.
   */
  readonly key: readonly string[];
  /**
   * How the list is stored in a table of its own. If absent, the list is stored in the row of its workflow or
   * workspace.
   */
  readonly rows?: StoredRows<Spec>;
  /** Reports faults that neither the schema nor a `NameMark` can express. */
  check?(spec: Spec, within: Within<Of>, report: Report): void;
  /** Like `check`, but runs in a second round, if reading and the first round have found no faults. */
  checkSound?(spec: Spec, within: Within<Of>, report: Report): void;
}

export type Holding = 'workspace' | 'workflow';

/** What a check knows about the definition around an element, indexed by names. */
export type Within<Of extends Holding> = Of extends 'workflow' ? WorkflowScope : WorkspaceScope;

/** A kind with a function that returns the elements of its list. */
export interface ListKind<Spec extends object, Of extends Holding> extends Kind<Spec, Of> {
  /**
   * Returns the elements of the list in a workspace or workflow. `holder` can be a definition, a row or a
   * compiled object.
   */
  readonly in: (holder: object) => readonly Spec[];
}

/** Makes a kind whose elements have the type of its schema. */
export function kind<Items extends TSchema, Of extends Holding>(
  made: Kind<Static<Items> & object, Of> & { readonly schema: TArray<Items> },
): ListKind<Static<Items> & object, Of> {
  // Elements are read by their schema before they are stored, so they have its type.
  return { ...made, in: (holder) => listIn(holder, made.list) as readonly (Static<Items> & object)[] };
}

/** Maps the key of each list in a document to the schema of the list. */
export const schemasOf = (kinds: readonly Kind[]): Record<string, TArray> =>
  byList(kinds, ({ schema }) => schema);

/** Makes a record with a value for each kind, by the key of its list. */
export const byList = <T>(kinds: readonly Kind[], of: (kind: Kind) => T): Record<string, T> =>
  Object.fromEntries(kinds.map((kind) => [kind.list, of(kind)] as const));

/** The lists of a holder that are stored in the holder's own row. Empty lists are left out. */
export const listsWithoutTable = (kinds: readonly Kind[], holder: object): FurtherSettings =>
  byList(
    kinds.filter(({ rows, list }) => !rows && listIn(holder, list).length > 0),
    ({ list }) => listIn(holder, list).map(withoutFormer),
  );
