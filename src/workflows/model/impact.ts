import { type EntityManager } from 'typeorm';
import { type Source } from '../../common/origin.js';
import { type ChangedDefinition } from './changed-definition.js';
import { type WorkspaceDefinition } from './definition.js';
import { type Effect } from './effect.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** The effects of a changed definition on the rows of a feature: a plan counts them, and an apply carries them out. */
export interface Impact {
  /** Counts the effects for a plan, and for an apply, which may refuse them. */
  effects?(db: EntityManager, changed: ChangedDefinition): Effect[] | Promise<Effect[]>;
  /** Deletes data that refers to rows which the new definition changes or removes. */
  release?(tx: EntityManager, changed: ChangedDefinition): Promise<void>;
  /** Starts new rules, schedules and forms before `move` changes tasks. Removed rows still exist. */
  begin?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Moves data that fits the new definition, and deletes other data. Removed rows are deleted later. */
  move?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Starts the work that the new definition needs. Its version is already stored in the transaction. */
  settle?(tx: EntityManager, applied: AppliedDefinition): Promise<void>;
  /** Does the work that can follow the commit, without blocking other work. */
  finish?(db: EntityManager, workspaceId: number): Promise<void>;
}

/** A definition whose rows are stored. */
export interface AppliedDefinition extends ChangedDefinition {
  readonly workspaceId: number;
  /** The new version. */
  readonly version: number;
  /** The rows of the definition. Until `move` has ended, they include the rows of removed elements. */
  readonly after: WorkspaceRows;
  /** The definition that these rows represent, without removed elements. */
  readonly definition: WorkspaceDefinition;
  readonly workflowIds: ReadonlyMap<string, number>;
  /** The origin of the events of this apply. */
  readonly origin: Source;
}
