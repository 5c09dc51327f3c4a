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

/** What is followed, and from where. */
export interface FollowOptions extends Omit<CallOptions, 'query' | 'idempotencyKey'> {
  /** A cursor; `now` is the end of the feed. Without it the oldest event that is kept comes first. */
  readonly after?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly workflows?: readonly string[] | undefined;
  /** The ids of tasks, as their `Task URL` has them. */
  readonly tasks?: readonly string[] | undefined;
  /** Events that changed one of these fields. */
  readonly fields?: readonly string[] | undefined;
  /** `poll` asks again and again, and each answer is held until something happens; `sse` is one answer without end. */
  readonly by?: 'poll' | 'sse' | undefined;
  /** Seconds that an answer may be held; 25 unless said. */
  readonly wait?: number | undefined;
  /** Events of one answer to a poll at most; 1,000 unless said. With 1 each event has a cursor of its own. */
  readonly limit?: number | undefined;
  /** Is told whenever there is nothing more to tell, with the cursor to go on from. */
  readonly onIdle?: ((cursor: string) => unknown) | undefined;
}

/** An event, and from where to go on once it is done with. */
export interface Followed {
  readonly event: WtsEvent;
  /** Who goes on from it misses nothing. By `sse` it stands behind the event; by `poll` behind the last of an answer, and before it for all others, which then come again. */
  readonly cursor: string;
}

/**
 * Tells what happens, in the order of the feed, for as long as it is asked and until the signal aborts. While the service is
 * away it tries again, and tells `onAway`. `CursorExpired` says that events behind the cursor are no longer kept, or that it is
 * none of this feed; other refusals are thrown too.
 */
export async function* follow(call: Call, options: FollowOptions): AsyncGenerator<Followed, void, undefined> {
  const { signal, by = 'poll' } = options;
  // Who has saved the empty cursor of a first answer begins anew.
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

/** Where it is to go on when the connection breaks. */
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
    // The first page without a cursor begins with the oldest event: who goes on there has no cursor yet.
    for (const [at, event] of page.body.entries())
      yield { event, cursor: at === last ? next : (place.after ?? '') };
    place.after = next;
    if (last < 0) await onIdle?.(next);
  }
}

/** Milliseconds after which a stream that says nothing is taken for broken; the service says something every 15 s. */
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

/** A block of server-sent events, whose data is one line here; comments are nothing. */
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
