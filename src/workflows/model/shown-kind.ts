import { type EntityManager } from 'typeorm';
import { type Kind, type ListKind } from './kind.js';
import { type Known } from './known.js';
import { type Scope } from './scope.js';

/**
 * A list of workflows whose elements the API and the command line show, and with which something can be done: routes,
 * their descriptions and commands are derived of it.
 */
export interface ShownKind<
  Spec extends Identified = Identified,
  One extends Identified = Identified,
> extends ListKind<Spec, 'workflow'> {
  /** Its class describes one to readers of the API. */
  readonly shown: new () => One;
  /** What its list says, as a sentence. */
  readonly description: string;
  /**
   * Shows all of the workflow by few statements; `known` are the workflows that the reader may hear of, and `address` is
   * that of the service.
   */
  show(db: EntityManager, scope: Scope, known: Known, address: string): Promise<readonly One[]>;
  /** Whether only keys of scope `admin` may read it. */
  readonly isForAdmin?: true;
  /** What its runs are, as a sentence, if its elements start actions. */
  readonly runs?: string;
  readonly operations: Readonly<Record<string, KindOperation<Spec>>>;
}

export const isShown = (kind: Kind | ShownKind): kind is ShownKind => 'shown' in kind;

export interface Identified {
  readonly id: string;
}

/** What an administrator does with one element: a route and a command. */
export interface KindOperation<Spec extends Identified = Identified> {
  /** `Pause a rule`. */
  readonly title: string;
  readonly description: string;
  /** What happens later, as a sentence; an operation without it is done at once, and answers with the element. */
  readonly later?: string;
  /** Whether it records no event. */
  readonly isUntold?: true;
  /** Records its own event, if it changes something. */
  run(tx: EntityManager, spec: Spec, scope: Scope): Promise<void>;
  /** The work to wake after the commit. */
  rings?(spec: Spec, scope: Scope): readonly [job: string, key: object];
}
