import { type ServerResponse } from 'node:http';
import { type Problem } from './refusals.dto.js';

export const problemType = 'application/problem+json; charset=utf-8';

/** A problem document as JSON. */
export function problemDocument(
  status: number,
  title: string,
  detail: string,
  requestId: unknown,
  type = 'about:blank',
): string {
  const problem = { type, title, status, detail, request_id: requestId };
  return JSON.stringify(problem satisfies Record<keyof Problem, unknown>);
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
