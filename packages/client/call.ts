import { Conflict, TooManyRequests, Unavailable, type WtsError } from './errors.js';
import { asObject, refusalOf } from './refusal.js';

export interface ClientOptions {
  /** The URL of the service, such as `https://tasks.acme.test`. The URL may end with a path. */
  readonly url: string;
  readonly key: string;
  /** The most milliseconds for a call with all tries and pauses; by default 30,000. */
  readonly deadline?: number | undefined;
  /** The function that sends requests; by default `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Values by names: null means blank, undefined leaves a name out, and a list repeats the name. */
export type QueryValues = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
export type QueryValue = string | number | boolean | null | undefined;

export interface CallOptions {
  /** The most milliseconds for this call with all tries and pauses. */
  readonly deadline?: number | undefined;
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly query?: QueryValues | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called after each try that fails with `Unavailable` or `TooManyRequests`. */
  readonly onAway?: ((error: Unavailable | TooManyRequests) => unknown) | undefined;
  /**
   * The `Idempotency-Key` of a POST. By default, each call generates a key. With null, the client sends no
   * key, and does not repeat a POST that the service may have carried out.
   */
  readonly idempotencyKey?: string | null | undefined;
}

export interface RequestOptions extends CallOptions {
  /** The body. Texts, bytes and forms are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  /**
   * Whether the client repeats a call that the service may have carried out. By default, true except for a
   * POST without an `Idempotency-Key`.
   */
  readonly isRepeatable?: boolean | undefined;
}

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text of another type; null without a body. */
  readonly body: Body;
}

/** Makes a call and reads the answer, by default the whole answer. Repeats the call if `read` fails. */
export type Call = <Result = Answer>(
  method: string,
  path: string,
  options?: RequestOptions,
  read?: (answer: Response) => Promise<Result>,
) => Promise<Result>;

/** Creates the function that makes calls. That function repeats a call after a temporary failure. */
export function createCall({ url, key, deadline, fetch = globalThis.fetch }: ClientOptions): Call {
  const base = url.replace(/\/+$/, '');
  if (base.endsWith('/api/v1')) throw new TypeError(`${url}: write the address without /api/v1`);
  const call: Call = async <Result>(
    method: string,
    path: string,
    options: RequestOptions = {},
    read: (answer: Response) => Promise<Result> = readAnswer as never,
  ) => {
    const { signal } = options;
    if (!path.startsWith('/')) throw new TypeError(`${path}: a path begins with /`);
    const target = `${base}${path}${queryOf(options.query)}`;
    const init = { method, redirect: 'manual', ...contentOf(method, key, options) } as const;
    const maySendAgain = options.isRepeatable ?? (method !== 'POST' || init.headers.has('idempotency-key'));
    const time = options.deadline ?? deadline ?? 30_000;
    const ends = Date.now() + time;
    let isRepeated = false;
    const attempt = async (limit: AbortSignal): Promise<Outcome<Result>> => {
      const answer = await fetch(target, { ...init, signal: limit });
      if (answer.ok || answer.status === 304) return { result: await read(answer) };
      const { status, headers } = answer;
      const requestId = headers.get('x-request-id') ?? undefined;
      const { body } = await readAnswer(answer);
      const error = refusalOf({ status, requestId, body, isRepeated }, () => endOfFeed(call));
      return { error, wait: waitOf(headers.get('retry-after')) };
    };
    const broken = (cause: unknown): Outcome<Result> => {
      signal?.throwIfAborted();
      const why = Date.now() < ends ? reasonOf(cause) : `no answer within ${time} ms`;
      const refused = { status: 0, requestId: undefined, body: undefined, isRepeated };
      return { error: new Unavailable(`${method} ${target}: ${why}`, refused, { cause }), wait: 0 };
    };

    for (let tries = 0; ; tries += 1) {
      const outcome = await withLimit(ends - Date.now(), signal, attempt).catch(broken);
      if ('result' in outcome) return outcome.result;
      const { error, wait } = outcome;
      if (error instanceof Unavailable || error instanceof TooManyRequests) options.onAway?.(error);
      const done = whatWasDone(error);
      if (done === 'refused' || (done === 'perhaps' && !maySendAgain)) throw error;
      isRepeated ||= done === 'perhaps';
      // Jitter spreads the retries of clients that were refused at the same time.
      const pause = wait + Math.random() * Math.min(10_000, 100 * 2 ** tries);
      if (Date.now() + pause >= ends) throw error;
      await sleep(pause, signal);
    }
  };
  return call;
}

type Outcome<Result> = { readonly result: Result } | { readonly error: WtsError; readonly wait: number };

/** The reason for a missing answer. `fetch` has the reason in the cause of its error, sometimes as a code. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = asObject(error);
  if (cause !== undefined) return reasonOf(cause);
  const said = [message, code].find((text): text is string => typeof text === 'string' && text !== '');
  return said ?? 'the connection broke';
}

/**
 * `nothing`: the service has not executed the request, and a repetition may succeed. `perhaps`: the service
 * may have executed the request. `refused`: the client must not send the request again.
 */
function whatWasDone(error: WtsError): 'refused' | 'nothing' | 'perhaps' {
  if (error instanceof TooManyRequests) return 'nothing';
  if (error instanceof Unavailable) return [408, 503].includes(error.status) ? 'nothing' : 'perhaps';
  // After a broken connection, an idempotency key that is in use means that the earlier try still runs.
  const isUnderWay = error instanceof Conflict && asObject(error.body)['type'] === 'idempotency-key-in-use';
  return isUnderWay && error.isRepeated ? 'nothing' : 'refused';
}

export async function endOfFeed(call: Call, options: CallOptions = {}): Promise<string> {
  const query = { _after: 'now', _limit: 1 };
  return nextOf(await call('GET', '/api/v1/events', { ...options, query })) ?? '';
}

/** The cursor of the next page. Ignores the host of the link, which may differ from the client's `url`. */
export function nextOf({ headers }: Answer): string | undefined {
  const [, address] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return address === undefined
    ? undefined
    : (new URL(address, 'http://-').searchParams.get('_after') ?? undefined);
}

/** A path of encoded names. Refuses '', '.' and '..', because the path would then lead elsewhere. */
export function inPath(...names: readonly (string | number)[]): string {
  return names
    .map((name) => {
      if (/^\.{0,2}$/.test(String(name))) throw new TypeError(`nothing is named "${name}"`);
      return `/${encodeURIComponent(name)}`;
    })
    .join('');
}

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const waiting = (limit: AbortSignal): Promise<unknown> =>
    new Promise((resolve) => {
      limit.addEventListener('abort', resolve);
    });
  await withLimit(ms, signal, waiting);
  signal?.throwIfAborted();
}

/**
 * Runs work with a signal that aborts after `ms` milliseconds, or when the other signal aborts. Avoids
 * `AbortSignal.any`, which loses timers in Node.js 20.
 */
async function withLimit<Result>(
  ms: number,
  other: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  other?.throwIfAborted();
  const limit = new AbortController();
  const end = (): void => {
    limit.abort(other?.reason);
  };
  const timer = setTimeout(end, ms);
  other?.addEventListener('abort', end);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    other?.removeEventListener('abort', end);
  }
}

async function readAnswer(answer: Response): Promise<Answer> {
  const { status, headers } = answer;
  const text = await answer.text();
  const isJson = /^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '');
  return { status, headers, body: text === '' ? null : isJson ? (JSON.parse(text) as unknown) : text };
}

function contentOf(
  method: string,
  key: string,
  { body, headers: more, idempotencyKey }: RequestOptions,
): { readonly headers: Headers; readonly body: BodyInit | null } {
  const headers = new Headers({ authorization: `Bearer ${key}`, accept: 'application/json', ...more });
  const made = idempotencyKey === undefined && method === 'POST' ? crypto.randomUUID() : idempotencyKey;
  if (made != null && !headers.has('idempotency-key')) headers.set('idempotency-key', made);
  if (body === undefined) return { headers, body: null };
  const isReady = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
  if (isReady) return { headers, body: body as BodyInit };
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return { headers, body: toJson(body) };
}

/** Writes JSON. Throws for an invalid date or number, which `JSON.stringify` writes as null, so blank. */
export function toJson(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, written: unknown) {
    const value = this[name];
    const isLost =
      value instanceof Date ? written === null : typeof value === 'number' && !Number.isFinite(value);
    if (isLost) throw new TypeError(`${name}: ${String(value)} cannot be sent`);
    return written;
  });
}

function queryOf(query: QueryValues = {}): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => {
      return value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`];
    }),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The milliseconds of a `Retry-After`, which is a number of seconds or a date. */
function waitOf(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  return Math.max(0, Number.isNaN(seconds) ? Date.parse(header) - Date.now() || 0 : seconds * 1000);
}
