import { type RequestListener, type Server } from 'node:http';
import { type Duplex } from 'node:stream';
import { problemDocument, problemType } from '../errors/problem.js';
import { newRequestId } from './request-id.js';

/**
 * What Node would answer by itself: a request that cannot be parsed gets a problem document like any other, and
 * `Expect: 100-continue` is answered when somebody wants the body, not before the guards have spoken.
 */
export function answerRawRequests(server: Server, listener: RequestListener): void {
  server.on('checkContinue', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (socket.writable && error.code !== 'ECONNRESET') socket.end(problem(error.code));
    else socket.destroy();
  });
}

function problem(code: string | undefined): string {
  const [status, title] = statuses.get(code ?? '') ?? [400, 'Bad Request'];
  const requestId = newRequestId();
  const body = problemDocument(status, title, 'The request is not understood as HTTP.', requestId);
  return [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${problemType}`,
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

const statuses = new Map<string, [number, string]>([
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout']],
]);
