import {
  type Answer,
  type Call,
  type CallOptions,
  endOfFeed,
  nextOf,
  type QueryValues,
  sleep,
} from './call.js';
import { CursorExpired, TooManyRequests, Unavailable, ValidationError } from './errors.js';
import { type EventType, type WtsEvent } from './types.js';

export interface FollowOptions extends Omit<CallOptions, 'query' | 'idempotencyKey'> {
  /** A cursor, or `now` for the end of the feed. By default, follows from the oldest stored event. */
  readonly after?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly workflows?: readonly string[] | undefined;
  /** The ids of tasks, as in their `Task URL`. */
  readonly tasks?: readonly string[] | undefined;
  /** Selects only events that changed one of these fields. */
  readonly fields?: readonly string[] | undefined;
  /** The most seconds that the service may wait for events; by default 25. */
  readonly wait?: number | undefined;
  /** The most events in one answer; by default 1,000. With 1, each event has its own cursor. */
  readonly limit?: number | undefined;
  /** When no further event is stored, `follow` calls this with the cursor from which to continue. */
  readonly onIdle?: ((cursor: string) => unknown) | undefined;
}

export interface Followed {
  readonly event: WtsEvent;
  /**
   * A cursor from which `follow` misses no event. Only the last event of a page has a cursor after the page.
   * The other events have the cursor before the page. From that cursor, `follow` yields the whole page again.
   */
  readonly cursor: string;
}

/**
 * Yields events in the order of the feed until the signal aborts. While the service is unavailable, tries
 * again and calls `onAway`. Throws `CursorExpired` if events after the cursor are no longer stored, or if the
 * cursor is not of this feed. Throws other refusals, too.
 */
export async function* follow(call: Call, options: FollowOptions): AsyncGenerator<Followed, void, undefined> {
  const { signal } = options;
  // An empty cursor, which `follow` yields for the first page, means the beginning.
  const place: Place = { after: options.after === '' ? undefined : options.after };
  let failures = 0;
  for (;;)
    try {
      if (place.after === 'now') place.after = await endOfFeed(call, sent(options));
      for await (const followed of poll(call, options, place)) {
        failures = 0;
        yield followed;
        if (signal?.aborted) return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ValidationError && '_after' in error.errors)
        throw new CursorExpired(error.message, error, () => endOfFeed(call));
      if (!(error instanceof Unavailable || error instanceof TooManyRequests)) throw error;
      failures += 1;
      await sleep(Math.random() * Math.min(10_000, 200 * 2 ** failures), signal).catch(() => undefined);
    }
}

/** The cursor from which to continue after a broken connection. */
interface Place {
  after: string | undefined;
}

async function* poll(
  call: Call,
  options: FollowOptions,
  place: Place,
): AsyncGenerator<Followed, void, undefined> {
  const { wait = 25, limit, onIdle } = options;
  const query = { ...filtersOf(options), _limit: limit };
  for (;;) {
    const asked = {
      ...sent(options),
      query: { ...query, _after: place.after },
      deadline: (options.deadline ?? 30_000) + wait * 1000,
      headers: { prefer: `wait=${wait}`, ...options.headers },
    };
    const page = await call<Answer<WtsEvent[]>>('GET', '/api/v1/events', asked);
    const next = nextOf(page) ?? place.after ?? '';
    const last = page.body.length - 1;
    // A first page without a cursor begins with the oldest event, so '' is the cursor before the page.
    for (const [at, event] of page.body.entries())
      yield { event, cursor: at === last ? next : (place.after ?? '') };
    place.after = next;
    if (last < 0) await onIdle?.(next);
  }
}

const filtersOf = ({ types, workflows, tasks, fields }: FollowOptions): QueryValues => ({
  type: types,
  workflow: workflows,
  task: tasks,
  field: fields,
});

const sent = ({ signal, deadline, headers, onAway }: FollowOptions): CallOptions => ({
  signal,
  deadline,
  headers,
  onAway,
});
