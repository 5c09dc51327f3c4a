import {
  type Answer,
  type Call,
  type CallOptions,
  endOfFeed,
  nextOf,
  type QueryValues,
  sleep,
  withLimit,
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
  /** `poll` repeats requests, each of which waits for events. `sse` reads one endless answer. */
  readonly by?: 'poll' | 'sse' | undefined;
  /** The most seconds that the service may wait for events; by default 25. */
  readonly wait?: number | undefined;
  /** The most events in one answer to a poll; by default 1,000. With 1, each event has its own cursor. */
  readonly limit?: number | undefined;
  /** When no further event is stored, `follow` calls this with the cursor from which to continue. */
  readonly onIdle?: ((cursor: string) => unknown) | undefined;
}

export interface Followed {
  readonly event: WtsEvent;
  /**
   * A cursor from which `follow` misses no event. With `sse`, the cursor is after this event. With `poll`,
   * only the last event of a page has a cursor after the page. The other events have the cursor before the
   * page. From that cursor, `follow` yields the whole page again.
   */
  readonly cursor: string;
}

/**
 * Yields events in the order of the feed until the signal aborts. While the service is unavailable, tries
 * again and calls `onAway`. Throws `CursorExpired` if events after the cursor are no longer stored, or if the
 * cursor is not of this feed. Throws other refusals, too.
 */
export async function* follow(call: Call, options: FollowOptions): AsyncGenerator<Followed, void, undefined> {
  const { signal, by = 'poll' } = options;
  // An empty cursor, which `follow` yields for the first page, means the beginning.
  const place: Place = { after: options.after === '' ? undefined : options.after };
  let failures = 0;
  for (;;)
    try {
      if (place.after === 'now') place.after = await endOfFeed(call, sent(options));
      for await (const followed of by === 'sse' ? stream(call, options, place) : poll(call, options, place)) {
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

/** A stream without data for so many milliseconds counts as broken. The service sends data every 15 s. */
const SILENCE = 45_000;

async function* stream(
  call: Call,
  options: FollowOptions,
  place: Place,
): AsyncGenerator<Followed, void, undefined> {
  const query = { ...filtersOf(options), _after: place.after };
  const headers = { accept: 'text/event-stream', ...options.headers };
  const reader = await call('GET', '/api/v1/events', { ...sent(options), query, headers }, (answer) =>
    Promise.resolve((answer.body ?? new ReadableStream<Uint8Array>()).getReader()),
  );
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await withLimit(SILENCE, options.signal, (limit) => {
        limit.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
        return reader.read();
      });
      if (done) throw new Error('the stream has ended');
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const { id, data } = readBlock(block);
        if (id !== '') place.after = id;
        const cursor = place.after ?? '';
        if (data !== '') yield { event: JSON.parse(data) as WtsEvent, cursor };
        else if (id !== '') await options.onIdle?.(cursor);
      }
    }
  } catch (cause) {
    const broken = { status: 0, requestId: undefined, body: undefined, isRepeated: false };
    const error = new Unavailable('the stream of events broke', broken, { cause });
    options.onAway?.(error);
    throw error;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Reads the id and data of one server-sent event. Ignores comments. The service sends data in one line. */
function readBlock(block: string): { readonly id: string; readonly data: string } {
  const lines = block.split('\n');
  const valueOf = (name: string): string =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  return { id: valueOf('id'), data: valueOf('data') };
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
