import { lookup } from 'node:dns/promises';
import { type Readable } from 'node:stream';
import { Agent } from 'undici';
import { addressGuard } from './address-guard.js';
import { boundedBody } from './bounded-body.js';
import { guardedConnector, type Lookup } from './connector.js';
import { failureOf, OutboundFailure } from './failure.js';
import { parseUrl } from './parse-url.js';
import { requestHeaders } from './request-headers.js';

export interface OutboundSettings {
  /** Networks (CIDR) beyond the public ones that may be connected to. */
  readonly allow: readonly string[];
  readonly lookup?: Lookup;
  /** Milliseconds until a connection must stand. */
  readonly connectMs?: number;
  /** Authorities (PEM) to trust in place of the well-known ones. */
  readonly ca?: string;
}

export interface OutboundRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the request, and the body of the answer too. */
  readonly signal: AbortSignal;
  /** Bytes of the answer's body after which it fails. */
  readonly maxBytes: number;
}

export interface Answer {
  readonly status: number;
  /** By their names in lower case; what came several times stands with commas between. */
  readonly headers: ReadonlyMap<string, string>;
  /** Must be read or destroyed; fails with an `OutboundFailure`. */
  readonly body: Readable;
}

/** The one way out: speaks HTTP to servers in the public Internet and in the allowed networks, and to no others. */
export class Outbound {
  private readonly agent: Agent;

  constructor({ allow, lookup = allAddresses, connectMs = 5000, ca }: OutboundSettings) {
    this.agent = new Agent({
      connect: guardedConnector({ allows: addressGuard(allow), lookup, connectMs, ca }),
      // To one server; who waits for one of these waits for those that hang.
      connections: 256,
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 10_000,
      maxHeaderSize: 16_384,
      // The signal of each request is its time-out.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** The answer, whatever its status; redirects are not followed. Throws an `OutboundFailure`. */
  async request(url: string | URL, request: OutboundRequest): Promise<Answer> {
    const { signal, maxBytes } = request;
    const { status, headers, body } = await this.send(parseUrl(url), request).catch((error: unknown) => {
      throw failureOf(error, signal, 'unreachable');
    });
    const bounded = boundedBody(body, { maxBytes }, (error) => failureOf(error, signal, 'incomplete'));
    if (isSuccess(status) && isEncoded(headers)) {
      bounded.destroy();
      throw new OutboundFailure('encoded answer');
    }
    return { status, headers, body: bounded };
  }

  /** Ends every connection, those in use too. */
  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async send(
    url: URL,
    { method = 'GET', headers = {}, body, signal }: OutboundRequest,
  ): Promise<Answer> {
    const answer = await this.agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: requestHeaders(headers),
      body: body ?? null,
      signal,
    });
    return { status: answer.statusCode, headers: answerHeaders(answer.headers), body: answer.body };
  }
}

const allAddresses: Lookup = (hostname) => lookup(hostname, { all: true, verbatim: true });

function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Map<string, string> {
  return new Map(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** We asked for bytes as they are: decoding would undo every limit on size. */
function isEncoded(headers: ReadonlyMap<string, string>): boolean {
  return !['', 'identity'].includes(headers.get('content-encoding')?.toLowerCase() ?? '');
}
