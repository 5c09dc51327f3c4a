import { type EntityManager } from 'typeorm';
import { type Source } from '../../common/origin.js';
import { type ChangedDefinition } from './changed-definition.js';
import { type WorkspaceDefinition } from './definition.js';
import { type Effect } from './effect.js';
import { type WorkspaceRows } from './workspace-rows.js';

/**
 * What a changed definition does to the rows of a feature. A plan counts the effects, and an apply carries
 * them out.
 */
export interface Impact {
  /** Counts the effects. A plan shows them, and an apply may refuse them. */
  effects?(db: EntityManager, changed: ChangedDefinition): Effect[] | Promise<Effect[]>;
  /** Deletes data that refers to rows which the new definition changes or removes. */
  release?(tx: EntityManager, changed: ChangedDefinition): Promise<void>;
  /**
   * Before `move` changes tasks, makes the stored states of rules, schedules and other elements match the
   * definition. The rows of removed elements still exist.
   */
  begin?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /**
   * Adapts data to the new definition: moves tasks, follows renames, and deletes data that no longer fits.
   * The rows of removed elements still exist.
   */
  move?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Starts the work that the new definition needs. The transaction has already stored the new version. */
  settle?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Does the work that can wait until after the commit, without blocking other work. */
  finish?(db: EntityManager, workspaceId: number): Promise<void>;
}

/** A definition whose rows are stored. */
export interface AppliedDefinition extends ChangedDefinition {
  readonly workspaceId: number;
  /** The version that the apply makes. */
  readonly version: number;
  /** The rows of the definition. Until `move` has ended, they include the rows of removed elements. */
  readonly after: WorkspaceRows;
  /** The definition in `after`, without removed elements. */
  readonly definition: WorkspaceDefinition;
  readonly workflowIds: ReadonlyMap<string, number>;
  /** The origin of the events of this apply. */
  readonly origin: Source;
}
