import { type EntityManager } from 'typeorm';
import { type Source } from '../../common/origin.js';
import { type ChangedDefinition } from './changed-definition.js';
import { type WorkspaceDefinition } from './definition.js';
import { type Effect } from './effect.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** What a change of the definition does to the rows of a feature: counted for a plan, and done within an apply. */
export interface Impact {
  /** Counts it for a plan, and for an apply, which may refuse it. */
  effects?(db: EntityManager, changed: ChangedDefinition): Effect[] | Promise<Effect[]>;
  /** Counts more for a plan alone, because it takes too long while the workspace is locked. */
  forecast?(db: EntityManager, changed: ChangedDefinition): Promise<Effect[]>;
  /** Deletes what would refer to rows that the new definition changes. */
  release?(tx: EntityManager, changed: ChangedDefinition): Promise<void>;
  /** Moves what has a place in the new definition, and deletes the rest, before the rows of removed elements go. */
  move?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Begins what the new definition wants, once it is in force within the transaction. */
  settle?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Does after the commit what need not hold up others. */
  finish?(db: EntityManager, workspaceId: number): Promise<void>;
}

/** A definition whose rows are stored. */
export interface AppliedDefinition extends ChangedDefinition {
  readonly workspaceId: number;
  /** The version that it becomes. */
  readonly version: number;
  /** Its rows; those of removed elements are among them until `move` has ended. */
  readonly after: WorkspaceRows;
  /** What these rows say. */
  readonly definition: WorkspaceDefinition;
  readonly workflowIds: ReadonlyMap<string, number>;
  /** Whether deadlines that become overdue by it run their rungs; otherwise their rungs count as done. */
  readonly firesOverdue: boolean;
  /** The origin of events. */
  readonly origin: Source;
}
