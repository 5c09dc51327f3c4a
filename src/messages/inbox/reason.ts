import { type EventSource } from '../../common/origin.js';
import { type WatchState } from '../../common/column-values.js';
import { type RecordedEvent } from '../../events/events.repository.js';

export interface Happened {
  readonly event: RecordedEvent;
  readonly source: EventSource;
  /** The internal id of the user who did it; undefined if no person did. */
  readonly doer: string | undefined;
  readonly assigneeId: string | null;
  /** By the ids of users. */
  readonly watchers: ReadonlyMap<string, WatchState>;
}

/** Why a user is notified. To add one: a file in reasons/, a line in reason-types.ts and a name in column-values.ts. */
export interface ReasonType {
  /** The types of its events. */
  readonly types: readonly string[];
  /** The users whom it concerns. Whether they see the task and want to be notified is checked later. */
  whom(happened: Happened): readonly string[];
  /** Whether users are notified of what they did themselves. */
  readonly tellsDoer?: boolean;
}
