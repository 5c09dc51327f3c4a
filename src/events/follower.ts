import { type Config } from '../config.js';
import { type Pause } from '../../packages/fair/turn.js';
import { type EntityManager } from 'typeorm';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type RecordedEvent } from './events.repository.js';

/**
 * Reads the feed of a workspace in order and writes rows. The same transaction moves the follower's position,
 * so that the follower processes no event twice. To add a follower, list it in the `followers` of a feature.
 */
export interface Follower extends NamedFollower {
  readonly types: readonly string[];
  /** Reads and locks the rows that these events need, by few statements. */
  begin(turn: FollowerTurn, events: readonly RecordedEvent[]): Promise<BegunTurn>;
}

interface BegunTurn {
  /** Handles one event in the transaction `tx`. If time runs out, a later transaction handles the others. */
  follow(event: RecordedEvent): void | Promise<void>;
  /** Writes the results of all handled events, by few statements. */
  end?(): Promise<void>;
}

/**
 * Follows up to 2,000 events in one transaction. Two runs in one process are at least half a second apart, so
 * that the changes of tasks hardly slow down.
 */
export interface BulkFollower extends NamedFollower {
  readonly followAll: (tx: EntityManager, workspaceId: number, range: FeedRange) => Promise<void>;
}

export type AnyFollower = Follower | BulkFollower;

interface NamedFollower {
  readonly name: string;
  /** Whether a workspace with this definition needs the follower. */
  wants(definition: WorkspaceDefinition): boolean;
}

/** The positions in the feed after `after`, up to and including `to`. */
export interface FeedRange {
  readonly after: number;
  readonly to: number;
}

export interface FollowerTurn {
  readonly tx: EntityManager;
  /** The workspace with its current definition. */
  readonly workspace: Workspace;
  readonly config: Config;
  /** Announces a job to workers after the commit. */
  ring(kind: string, job: object): void;
  /** Awaited between pieces of work on one event, so that many pieces do not block the event loop. */
  readonly pause: Pause;
}
