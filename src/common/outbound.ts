import { Outbound, type OutboundSettings, type OutboundRequest } from '../../packages/safe-http/client.js';
import { type HttpAnswer } from '../../packages/safe-http/bounded-answer.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { inSpan, traceHeaders } from './trace.js';

export const outboundIsOff = 'outgoing traffic is off (WTS_OUTBOUND=off)';

export const addressRefusal = 'its address is not allowed (WTS_OUTBOUND_ALLOW)';

/** Creates the client for outgoing requests. Its error for a refused address names the setting to change. */
export function outboundOf(settings: OutboundSettings): Outbound {
  return new Outbound({
    userAgent: 'workflow-task-service',
    addressRefusal,
    ...settings,
  });
}

/** Sends a request as a span of the current trace. */
export function tracedRequest(
  outbound: Outbound,
  url: string,
  request: OutboundRequest,
): Promise<HttpAnswer> {
  const { method = 'GET', headers } = request;
  // The path is left out because it may hold customer data.
  const { hostname, port, protocol } = readUrl(url) ?? {};
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
  };
  return inSpan(method, { kind: 'client', attributes }, async (span) => {
    const answer = await outbound.request(url, { ...request, headers: { ...headers, ...traceHeaders() } });
    span.setAttribute('http.response.status_code', answer.status);
    return answer;
  });
}
