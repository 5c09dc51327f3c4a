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
  /** By few statements; `known` are the workflows that the reader may learn about, `address` the service's URL. */
  show(db: EntityManager, scope: Scope, known: Known, address: string): Promise<readonly One[]>;
  /** What its page shows of an element, by their titles; by default all that the API shows. */
  readonly facts?: (one: One, workflow: Workflow, workspace: Workspace) => Readonly<Record<string, unknown>>;
  /** The titles of the facts in a row of its list; the last one stands at the end. Of a list, it shows the first. */
  readonly columns?: readonly string[];
  /** Whether only keys of scope `admin` may read it. */
  readonly isForAdmin?: true;
  /** A sentence that describes the runs of its elements, if they start actions. */
  readonly runs?: string;
  readonly operations: Readonly<Record<string, KindOperation<Spec>>>;
}

export const isShown = (kind: Kind | ShownKind): kind is ShownKind => 'shown' in kind;

export interface Identified {
  readonly id: string;
}

/** An operation of administrators on one element: a route and a command. */
export interface KindOperation<Spec extends Identified = Identified> {
  /** `Pause a rule`. */
  readonly title: string;
  readonly description: string;
  /** The text of its button, if its name alone does not say what it does: `Add an address`. */
  readonly button?: string;
  /** Whether its button asks first, as nothing undoes it. */
  readonly asks?: true;
  /** About the work that follows later (202); without it, the operation is complete at once and returns the element (200). */
  readonly later?: string;
  /** Records its own event, if it changes something. */
  run(tx: EntityManager, spec: Spec, scope: Scope): Promise<void>;
  /** The background jobs to wake after the commit. */
  rings?(spec: Spec, scope: Scope): readonly [job: string, key: object];
}
