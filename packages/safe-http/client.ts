import { lookup } from 'node:dns/promises';
import { finished, Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { type Dispatcher, Pool } from 'undici';
import { addressGuard, parseUrl } from './address-policy.js';
import { boundedClient, type Carried, Exchange } from './bounded-client.js';
import { type Doors } from './connector.js';
import { failureOf, OutboundFailure } from './failure.js';
import { type Lookup, Lookups } from './lookups.js';
import { framingHeaders } from './framing-headers.js';

export interface OutboundSettings {
  /** Networks (CIDR), beyond the public ones, to which connections are allowed. */
  readonly allow: readonly string[];
  readonly lookup?: Lookup;
  /** The most concurrent look-ups of names. */
  readonly lookups?: number;
  /** Milliseconds for establishing a connection. */
  readonly connectMs?: number;
  /** Authorities (PEM) to trust instead of the well-known ones. */
  readonly ca?: string;
  /** Refuses all requests, with this message. */
  readonly refusal?: string | undefined;
  /** The message for an address that is not allowed; the default names no setting. */
  readonly addressRefusal?: string;
  /** The `User-Agent` of each request. */
  readonly userAgent?: string;
}

export interface OutboundRequest {
  /** The workspace on whose behalf it is made. */
  readonly workspaceId: number;
  /**
   * The number of connections to the server, shared by all requests with this number; a request waits until one is
   * free.
   */
  readonly connections?: number;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request, or the body of the answer. */
  readonly signal: AbortSignal;
  /** The most bytes of the answer's body; more is a failure. */
  readonly maxBytes: number;
  /** Whether the body is not used, in which case it may be compressed. */
  readonly ignoresBody?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  /** By their names in lower case; repeated headers are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Must be read or destroyed; fails with an `OutboundFailure`. */
  readonly body: Readable;
}

/** The only way out: speaks HTTP to servers on the public Internet and in the allowed networks, and to no others. */
export class Outbound {
  private readonly allows: (address: string) => boolean;
  private readonly lookups: Lookups;
  /**
   * Each workspace has its own pools, so that hanging connections and names delay no other workspace. A pool stays
   * until it has no connection and no request: undici's `Agent` replaces a pool whose connections have all ended, and
   * so opens too many.
   */
  private readonly pools = new LRUCache<string, Pool>({
    max: 10_000,
    // Lets requests on its connections finish.
    dispose: (pool) => void pool.close().catch(() => undefined),
  });

  constructor(private readonly settings: OutboundSettings) {
    const { allow, lookup = allAddresses, lookups = 2 } = settings;
    this.allows = addressGuard(allow);
    this.lookups = new Lookups(lookup, lookups);
  }

  /** The answer, whatever its status; redirects are not followed. Throws an `OutboundFailure`. */
  async request(url: string | URL, request: OutboundRequest): Promise<HttpAnswer> {
    const { signal, maxBytes, ignoresBody = false } = request;
    const { refusal } = this.settings;
    if (refusal !== undefined) throw new OutboundFailure('address not allowed', refusal);
    const answer = await this.send(parseUrl(url), request, (body) =>
      boundedBody(body, { maxBytes }, (error) => failureOf(error, signal, 'incomplete')),
    ).catch((error: unknown) => {
      throw failureOf(error, signal, 'unreachable');
    });
    if (!ignoresBody && isSuccess(answer.status) && isEncoded(answer.headers)) {
      answer.body.destroy();
      throw new OutboundFailure('encoded answer');
    }
    return answer;
  }

  /** Ends every connection, including those in use. */
  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }

  private poolOf(origin: string, workspaceId: number, connections: number): Pool {
    const name = `${workspaceId}/${connections}/${origin}`;
    const known = this.pools.get(name);
    if (known) return known;
    const { connectMs = 5000, ca, addressRefusal } = this.settings;
    const lookup: Lookup = (hostname) => this.lookups.find(workspaceId, hostname);
    const doors: Doors = { allows: this.allows, lookup, connectMs, ca, addressRefusal };
    const pool = new Pool(origin, { connections, factory: () => boundedClient(origin, doors) });
    const forget = (): void => {
      const { connected, size } = pool.stats;
      if (connected + size === 0 && !pool.destroyed && this.pools.peek(name) === pool)
        this.pools.delete(name);
    };
    this.pools.set(name, pool.on('disconnect', forget).on('connectionError', forget));
    return pool;
  }

  private async send(
    url: URL,
    { workspaceId, connections = 256, method = 'GET', headers = {}, body, signal }: OutboundRequest,
    bound: (body: Readable) => Readable,
  ): Promise<HttpAnswer> {
    const exchange = new Exchange(workspaceId, signal);
    const options: Dispatcher.RequestOptions & Carried = {
      path: url.pathname + url.search,
      method,
      headers: requestHeaders(headers, this.settings.userAgent),
      body: body ?? null,
      signal,
      onInfo: exchange.countInformational,
      exchange,
    };
    return new Promise((resolve, reject) => {
      // Uses a callback: a promise would resolve after the first bytes of the body, which would then not be counted.
      this.poolOf(url.origin, workspaceId, connections).request(options, (error, answer) => {
        if (error) {
          reject(error);
          return;
        }
        const headers = answerHeaders(answer.headers);
        resolve({ status: answer.statusCode, headers, body: bound(answer.body) });
        exchange.count(answer.body);
      });
    });
  }
}

const allAddresses: Lookup = (hostname) => lookup(hostname, { all: true, verbatim: true });

function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Map<string, string> {
  return new Map(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Requests ask for unencoded bytes: decoding would defeat every limit on size. */
function isEncoded(headers: ReadonlyMap<string, string>): boolean {
  return !['', 'identity'].includes(headers.get('content-encoding')?.toLowerCase() ?? '');
}

interface Bounds {
  readonly maxBytes: number;
  /** The fewest bytes of the body. */
  readonly announced?: number | undefined;
}

/** The contents of `source` within the limits. `failure` converts errors; when one stream ends, so does the other. */
export function boundedBody(
  source: Readable,
  { maxBytes, announced = 0 }: Bounds,
  failure: (error: unknown) => OutboundFailure,
): Readable {
  let read = 0;
  let isWanted = false;
  const pull = (): void => {
    // Takes everything that has arrived as one piece, since a server may send many small ones.
    const chunk = isWanted ? (source.read() as Buffer | null) : null;
    if (chunk === null) return;
    isWanted = false;
    read += chunk.length;
    if (read > maxBytes) body.destroy(failure(tooLarge(maxBytes)));
    else body.push(chunk);
  };
  const body = new Readable({
    read() {
      isWanted = true;
      pull();
    },
  });
  finished(source.on('readable', pull), { writable: false }, (error) => {
    if (error) body.destroy(failure(error));
    else if (read < announced) body.destroy(failure(new OutboundFailure('incomplete')));
    else body.push(null);
  });
  // The reader gets the error; without a reader, it must not end the process.
  return body.on('error', () => undefined).once('close', () => source.destroy());
}

export function tooLarge(maxBytes: number): OutboundFailure {
  return new OutboundFailure('too large', `it is larger than ${maxBytes} bytes`);
}

/** The headers of a request: the given ones, and those that every request has. */
function requestHeaders(given: Readonly<Record<string, string>>, userAgent = 'node'): Record<string, string> {
  const headers = new Map([
    ['accept', '*/*'],
    ['user-agent', userAgent],
  ]);
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (framingHeaders.has(lower) || lower.startsWith('proxy-')) throw new OutboundFailure('invalid request');
    headers.set(lower, value);
  }
  return Object.fromEntries(headers.set('accept-encoding', 'identity'));
}
