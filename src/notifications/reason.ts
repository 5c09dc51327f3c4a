import { type EventType, type WatchState } from '../entities/column-values.js';
import { type EventSource } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';

/** An event of a task, and what is known of the task by now. */
export interface Happened {
  readonly event: RecordedEvent;
  readonly source: EventSource;
  /** The internal id of who did it; undefined where no person did. */
  readonly doer: string | undefined;
  readonly assigneeId: string | null;
  /** By the ids of users. */
  readonly watchers: ReadonlyMap<string, WatchState>;
}

/** Why somebody is told of an event. Add one: a file in reasons/, a line in reason-types.ts, and its name in entities/column-values.ts. */
export interface ReasonType {
  /** The events that it is about. */
  readonly types: readonly EventType[];
  /** The users whom it concerns. Whether they see the task and want to hear of it is found out behind this. */
  whom(happened: Happened): readonly string[];
  /** Whether people are told of what they did themselves. */
  readonly tellsDoer?: boolean;
}
