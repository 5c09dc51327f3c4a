import { type EntityManager } from 'typeorm';
import { type EventType } from '../entities/column-values.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { type EventNames } from './event-names.js';
import { type RecordedEvent } from './events.repository.js';

/**
 * What reads the feed of a workspace in order and writes rows: in the transaction that moves its position, so that each event
 * is followed exactly once. Add one: a file, and a line in definitions/followers.ts.
 */
export interface Follower {
  readonly name: string;
  /** Whether a workspace of this definition has it. */
  wants(definition: WorkspaceDefinition): boolean;
  /** The types of events that it reads. */
  readonly types: readonly EventType[];
  /** Whether it does without the values of tasks that an event holds, which may be large. */
  readonly leavesValues?: true;
  /** Reads and locks at once what following the events of a turn needs. */
  prepare?(turn: FollowerTurn, events: readonly RecordedEvent[]): Promise<void>;
  /**
   * Makes anew what it has written of the next tasks of a workflow behind one, which it returns: of followers whose rows follow from
   * the events alone. It starts nothing.
   */
  rebuild?(tx: EntityManager, workflow: Workflow, after: string): Promise<readonly string[]>;
  /** Writes what follows from an event, by the transaction of the turn. */
  follow(turn: FollowerTurn, event: RecordedEvent): Promise<void>;
  /** Writes at once what following the events of a turn has gathered. */
  finish?(turn: FollowerTurn): Promise<void>;
}

/** What a follower works with while it reads some events. */
export interface FollowerTurn {
  readonly tx: EntityManager;
  /** By the definition in force. */
  readonly workspace: Workspace;
  readonly names: EventNames;
  /** Tells the workers of a job once the transaction is committed. */
  ring(kind: string, job: object): void;
}
