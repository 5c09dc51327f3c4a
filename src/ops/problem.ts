import { type ServerResponse } from 'node:http';

export const problemType = 'application/problem+json; charset=utf-8';

/** A problem document of RFC 9457. */
export function problemDocument(status: number, title: string, detail: string, requestId: unknown): string {
  return JSON.stringify({ type: 'about:blank', title, status, detail, request_id: requestId });
}

/** Answers with one, outside the routes, unless the answer has begun already: then it is cut short. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.destroy();
  const body = problemDocument(status, title, detail, response.getHeader('X-Request-Id'));
  if (!response.req.complete) response.setHeader('Connection', 'close');
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'Content-Type': problemType, 'Content-Length': length }).end(body);
}
