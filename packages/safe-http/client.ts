import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { FairSemaphore } from '../fair/semaphore.js';
import { addressGuard, parseUrl } from './address-policy.js';
import { boundedAnswer, type HttpAnswer } from './bounded-answer.js';
import { guardedConnector, type Lookup, systemLookup } from './connector.js';
import { OutboundFailure } from './failure.js';
import { framingHeaders } from './framing-headers.js';

export interface OutboundSettings {
  /** Networks (CIDR), besides the public ones, to which connections are allowed. */
  readonly allow: readonly string[];
  readonly lookup?: Lookup;
  /** The most simultaneous look-ups of names. A workspace may use a third of them. */
  readonly lookups?: number;
  /** The time to establish a connection, in milliseconds. */
  readonly connectMs?: number;
  /** Authorities (PEM) to trust instead of the well-known ones. */
  readonly ca?: string;
  /** Refuses all requests, with this message. */
  readonly refusal?: string | undefined;
  /** The message for an address that is not allowed; the default names no setting. */
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
  /** The most bytes of the answer's body; more is a failure. */
  readonly maxBytes: number;
}

/** The only way to other servers: to those on the public Internet and in the allowed networks. */
export class Outbound {
  private readonly allows: (address: string) => boolean;
  /** A look-up cannot be cancelled, and blocks one of few threads until the name servers answer. */
  private readonly lookups: FairSemaphore;
  /** Each workspace has connections of its own, so their connector knows whose look-ups it makes. */
  private readonly agents = new LRUCache<number, Agent>({
    max: 1000,
    // Lets requests on its connections finish.
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

  /** The answer, whatever its status. Redirects are not followed. Throws an `OutboundFailure`. */
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
      // No limit here, because the request's signal limits its time.
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
