import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { FairSemaphore } from '../fair/semaphore.js';
import { addressGuard, parseUrl } from './address-policy.js';
import { boundedAnswer, type HttpAnswer } from './bounded-answer.js';
import { guardedConnector, type Lookup, systemLookup } from './connector.js';
import { OutboundFailure } from './failure.js';
import { framingHeaders } from './framing-headers.js';

export interface OutboundSettings {
  /** Networks (CIDR), besides the public networks, to which connections are allowed. */
  readonly allow: readonly string[];
  readonly lookup?: Lookup;
  /** The most simultaneous DNS look-ups. A workspace may use a third of this number. */
  readonly lookups?: number;
  /** The most milliseconds to establish a connection. */
  readonly connectMs?: number;
  /** The certificate authorities (PEM) to trust, instead of the well-known authorities. */
  readonly ca?: string;
  /** If set, all requests are refused with this message. */
  readonly refusal?: string | undefined;
  /** The message for an address that is not allowed. The default message names no setting. */
  readonly addressRefusal?: string;
  readonly userAgent?: string;
}

export interface OutboundRequest {
  readonly workspaceId: number;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request, or the body of the answer. */
  readonly signal: AbortSignal;
  /** The most bytes of the answer's body. A larger body is a failure. */
  readonly maxBytes: number;
}

/** The only client for other servers. It connects to the public Internet and to the allowed networks. */
export class Outbound {
  private readonly allows: (address: string) => boolean;
  /** Limits DNS look-ups, because a look-up blocks one of few threads and cannot be cancelled. */
  private readonly lookups: FairSemaphore;
  /** One agent for each workspace, so that DNS look-ups are counted for the workspace. */
  private readonly agents = new LRUCache<number, Agent>({
    max: 1000,
    // `close` lets running requests finish.
    dispose: (agent) => void agent.close().catch(() => undefined),
  });

  constructor(private readonly settings: OutboundSettings) {
    const { allow, lookups = 2 } = settings;
    this.allows = addressGuard(allow);
    this.lookups = new FairSemaphore(lookups, () => new OutboundFailure('unreachable'), {
      ofKey: lookups / 3,
      ofWorkspace: lookups / 3,
      waitTimeoutMs: 5000,
    });
  }

  /** Sends a request. Returns an answer of any status. Follows no redirects. Throws an `OutboundFailure`. */
  async request(url: string | URL, request: OutboundRequest): Promise<HttpAnswer> {
    const { workspaceId, method = 'GET', body = null, signal, maxBytes } = request;
    const { refusal, userAgent } = this.settings;
    if (refusal !== undefined) throw new OutboundFailure('address not allowed', refusal);
    const { origin, pathname, search } = parseUrl(url);
    const headers = requestHeaders(request.headers, userAgent);
    const sent = { origin, path: pathname + search, method, headers, body };
    return boundedAnswer(this.agentOf(workspaceId), sent, signal, maxBytes);
  }

  /** Ends every connection, including those in use. */
  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.destroy()));
  }

  private agentOf(workspaceId: number): Agent {
    const agent = this.agents.get(workspaceId) ?? this.newAgent(workspaceId);
    this.agents.set(workspaceId, agent);
    return agent;
  }

  private newAgent(workspaceId: number): Agent {
    const { lookup = systemLookup, connectMs = 5000, ca, addressRefusal } = this.settings;
    return new Agent({
      connect: guardedConnector({
        allows: this.allows,
        lookup: (hostname) => this.lookups.use({ workspaceId }, () => lookup(hostname)),
        connectMs,
        ca,
        addressRefusal,
      }),
      keepAliveMaxTimeout: 10_000,
      // No limits, because the signal limits the time of the request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

function requestHeaders(
  given: Readonly<Record<string, string>> = {},
  userAgent = 'node',
): Record<string, string> {
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
