import { type RequestListener, type Server } from 'node:http';
import { type Duplex } from 'node:stream';
import { type NextFunction, type Request, type Response } from 'express';
import { problemDocument, problemType, sendProblem } from './problem.js';
import { owesAnswer } from './connections.js';
import { newRequestId } from './request-log.js';
import { type Health } from './health.js';
import { toNfc } from '../../../packages/exact-json/nfc.js';

/**
 * Sends a problem document if a request is not HTTP, or if its head is too long or arrives too slowly.
 * Node.js would answer without a body. A client that sends `Expect` gets `100 Continue` only after the
 * guards, when a handler reads the body.
 */
export function answerRawRequests(server: Server, listener: RequestListener): void {
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const problem = problems.get(error.code ?? '') ?? [400, 'Bad Request', notHttp];
    if (socket.writable && !owesAnswer(socket)) socket.end(rawProblem(...problem));
    else socket.destroy();
  });
}

const notHttp = 'The request is not understood as HTTP.';
const tooLong = 'The head of the request is longer than 16 kB.';

const problems = new Map<string, readonly [number, string, string]>([
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large', tooLong]],
  ['HPE_INVALID_URL', [400, 'Bad Request', `${notHttp} Is the URL percent-encoded?`]],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout', 'The head of the request took too long.']],
]);

const closing = { Connection: 'close' };

/** Refuses requests that parse but violate HTTP. */
export function allowedRequest(request: Request, response: Response, next: NextFunction): void {
  const { headers, httpVersion } = request;
  // RFC 9110 §10.1.1: `Expect` of an HTTP/1.0 client is ignored.
  if (httpVersion === '1.0') delete headers.expect;
  if (httpVersion === '1.1' && headers.host === undefined)
    sendProblem(response, 400, 'Bad Request', 'A request must name its host.', closing);
  else if (headers.expect !== undefined && !/^\s*100-continue\s*$/i.test(headers.expect))
    sendProblem(response, 417, 'Expectation Failed', 'Only 100-continue can be expected.', closing);
  else next();
}

/** A response as text, because a request that is not HTTP has no response object. */
function rawProblem(status: number, title: string, detail: string): string {
  const requestId = newRequestId();
  const body = problemDocument(status, title, detail, requestId);
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Date: ${new Date().toUTCString()}`,
    `Content-Type: ${problemType}`,
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Normalizes a URL to NFC, like all stored texts. If the path contains a NUL or is not percent-encoded UTF-8,
 * replaces the path with one that has no route. After the guards, `UnroutedController` answers 404 for a NUL,
 * and otherwise 400. The router would fail on an undecodable path before the guards.
 */
export function readAddress(request: Request, _: Response, next: NextFunction): void {
  const { url, path } = request;
  if (url.includes('%')) {
    if (beyondAscii.test(url)) request.originalUrl = url.replace(/[^/?&=+]+/g, encodedInNfc);
    // PostgreSQL cannot store a NUL in a text.
    request.url = isDecodable(path) && !path.includes('%00') ? request.originalUrl : '/undecodable';
  }
  next();
}

const beyondAscii = /%[c-f]/i;

function encodedInNfc(part: string): string {
  if (!beyondAscii.test(part) || !isDecodable(part)) return part;
  const text = decodeURIComponent(part);
  const composed = toNfc(text);
  return composed === text ? part : encodeURIComponent(composed);
}

/** Whether a text is percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** After `endsConnections` is set, ends each connection with its next answer, because the port closes. */
export function drain(health: Health) {
  return (_: Request, response: Response, next: NextFunction): void => {
    if (health.endsConnections) response.setHeader('Connection', 'close');
    next();
  };
}

/** Serves only /health in a worker, and answers other requests with 404. */
export function healthOnly(request: Request, response: Response, next: NextFunction): void {
  if (request.path.startsWith('/health/')) {
    next();
    return;
  }
  const detail = 'This process is a worker: it runs executions and serves only /health.';
  sendProblem(response, 404, 'Not Found', detail, { Connection: 'close' });
}
