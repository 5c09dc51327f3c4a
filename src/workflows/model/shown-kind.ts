import { type EntityManager } from 'typeorm';
import { type Kind, type ListKind } from './kind.js';
import { type Known } from './known.js';
import { type Scope } from './scope.js';
import { type Workflow, type Workspace } from './workspace.js';

/**
 * A kind of list whose elements the API, the pages and the command line show. Routes, descriptions and
 * commands derive from this value.
 */
export interface ShownKind<
  Spec extends Identified = Identified,
  One extends Identified = Identified,
> extends ListKind<Spec, 'workflow'> {
  /** The class that describes one element in the API. */
  readonly shown: new () => One;
  /**
   * Returns all elements as the API shows them. `known` tells which workflows the reader knows. `address` is
   * the URL of the service.
   */
  show(db: EntityManager, scope: Scope, known: Known, address: string): Promise<readonly One[]>;
  /**
   * Returns the facts on the page of an element, by title. By default, the page shows what the API shows,
   * except `id` and `state`.
   */
  readonly facts?: (one: One, workflow: Workflow, workspace: Workspace) => Readonly<Record<string, unknown>>;
  /**
   * The titles of the facts to show in the element's row of a list. If a fact has several values, the row
   * shows the first.
   */
  readonly columns?: readonly string[];
  /** Whether only keys of scope `admin` may read the list. */
  readonly isForAdmin?: true;
  /** Describes the runs of an element in the documentation of the API. Absent if elements have no runs. */
  readonly runs?: string;
  readonly operations: Readonly<Record<string, KindOperation<Spec>>>;
}

export const isShown = (kind: Kind | ShownKind): kind is ShownKind => 'shown' in kind;

export interface Identified {
  readonly id: string;
}

/** Something that administrators can do with one element, by a route, a button or a command. */
export interface KindOperation<Spec extends Identified = Identified> {
  /** The title of the operation, such as `Pause a rule`. */
  readonly title: string;
  readonly description: string;
  /**
   * The text of the button, such as `Add an address`. By default, the button shows the name of the operation.
   */
  readonly button?: string;
  /** True if nothing can undo the operation. The button then asks for confirmation. */
  readonly asks?: true;
  /**
   * If the operation answers 202, describes the work that then follows. If absent, the operation is complete
   * at once and answers 200.
   */
  readonly later?: string;
  /** Runs the operation, and records its event if something changes. */
  run(tx: EntityManager, spec: Spec, scope: Scope): Promise<void>;
  /** The background job to wake after the commit. */
  rings?(spec: Spec, scope: Scope): readonly [job: string, key: object];
}
