import { type EntityManager } from 'typeorm';
import { type Kind, type ListKind } from './kind.js';
import { type Known } from './known.js';
import { type Scope } from './scope.js';
import { type Workflow, type Workspace } from './workspace.js';

/** A list that the API and the command line show and operate; routes, descriptions and commands derive from it. */
export interface ShownKind<
  Spec extends Identified = Identified,
  One extends Identified = Identified,
> extends ListKind<Spec, 'workflow'> {
  /** The class that describes one element in the API. */
  readonly shown: new () => One;
  /** Shows all elements. `known` says which workflows the reader knows; `address` is the service's URL. */
  show(db: EntityManager, scope: Scope, known: Known, address: string): Promise<readonly One[]>;
  /** The facts on the page of an element, by title. By default, the page shows what the API shows. */
  readonly facts?: (one: One, workflow: Workflow, workspace: Workspace) => Readonly<Record<string, unknown>>;
  /** The titles of the facts in a row of the list. Of a fact with several values, the row shows the first. */
  readonly columns?: readonly string[];
  /** Whether only keys of scope `admin` may read the list. */
  readonly isForAdmin?: true;
  /** A sentence that describes the runs of an element; absent if elements have no runs. */
  readonly runs?: string;
  readonly operations: Readonly<Record<string, KindOperation<Spec>>>;
}

export const isShown = (kind: Kind | ShownKind): kind is ShownKind => 'shown' in kind;

export interface Identified {
  readonly id: string;
}

/** An operation of administrators on one element: a route and a command. */
export interface KindOperation<Spec extends Identified = Identified> {
  /** The title of the operation: `Pause a rule`. */
  readonly title: string;
  readonly description: string;
  /** The text of the button: `Add an address`. By default, the button shows the name of the operation. */
  readonly button?: string;
  /** Whether the button asks for confirmation, because nothing can undo the operation. */
  readonly asks?: true;
  /** Describes the work that follows a 202. If absent, the operation completes at once and returns 200. */
  readonly later?: string;
  /** Runs the operation, and records its event if something changes. */
  run(tx: EntityManager, spec: Spec, scope: Scope): Promise<void>;
  /** The background job to wake after the commit. */
  rings?(spec: Spec, scope: Scope): readonly [job: string, key: object];
}
