import { type Config } from '../config.js';
import { type Pause } from '../../packages/fair/turn.js';
import { type EntityManager } from 'typeorm';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type EventNames } from './event-names.js';
import { type RecordedEvent } from './events.repository.js';

/**
 * Reads the feed of a workspace in order and writes rows. The transaction that writes them also moves the follower's
 * position, so that it processes each event exactly once. To add one, write a file and name it in its folder's
 * feature.ts.
 */
export interface Follower extends NamedFollower {
  readonly types: readonly string[];
  /** Reads and locks what the events of a turn need, by few statements. */
  begin(turn: FollowerTurn, events: readonly RecordedEvent[]): Promise<BegunTurn>;
}

interface BegunTurn {
  /** Handles an event within the transaction of the turn, which has time for some of its events. */
  follow(event: RecordedEvent): void | Promise<void>;
  /** Writes what the handled events have changed, by few statements. */
  end?(): Promise<void>;
}

/** Follows thousands of events by a statement of its own, about twice a second at most, so that writers hardly notice. */
export interface BulkFollower extends NamedFollower {
  readonly followAll: (tx: EntityManager, workspaceId: number, range: FeedRange) => Promise<void>;
}

export type AnyFollower = Follower | BulkFollower;

interface NamedFollower {
  readonly name: string;
  /** Whether a workspace with this definition needs the follower. */
  wants(definition: WorkspaceDefinition): boolean;
}

/** Positions in the feed: after `after`, and up to `to`. */
export interface FeedRange {
  readonly after: number;
  readonly to: number;
}

export interface FollowerTurn {
  readonly tx: EntityManager;
  /** With the definition in force. */
  readonly workspace: Workspace;
  readonly names: EventNames;
  readonly config: Config;
  /** Wakes the workers of a job after the commit. */
  ring(kind: string, job: object): void;
  /** Awaited between pieces of work on one event, so that many pieces do not block the event loop. */
  readonly pause: Pause;
}
