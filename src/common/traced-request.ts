import { type HttpAnswer } from '../../packages/safe-http/answer-reader.js';
import { type Outbound, type OutboundRequest } from '../../packages/safe-http/client.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { inSpan, traceHeaders } from './trace.js';

/** Sends a request that continues the trace of the work under way, as one of its spans. */
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
