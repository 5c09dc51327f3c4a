import { type OutgoingHttpHeaders } from 'node:http';
import compression from 'compression';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { type Response } from 'express';
import { Reply } from '../common/reply.js';
import { anybody, type PageRequest, ReaderContext } from './reader.js';
import { notFound } from '../common/errors.js';
import { faultsOf } from '../common/field-errors.js';

/** How a page is answered beside its content. */
export interface PageHead {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Answers with a page. */
export function pageReply(page: VNode, head: PageHead = {}): Reply {
  return new Reply((response) => {
    sendPage(response, page, head);
  });
}

/** Answers a form: the browser goes on to this path, by GET. */
export function seeOther(path: string, headers: PageHead['headers'] = {}): Reply {
  return new Reply((response) => {
    response.writeHead(303, { ...headers, Location: path, 'Cache-Control': 'no-store' }).end();
  });
}

/** Sends a page at once, for who has only a response. */
export function sendPage(response: Response, page: VNode, { status = 200, headers = {} }: PageHead): void {
  const request: PageRequest = response.req;
  const reader = request.reader ?? anybody(request);
  const html = `<!doctype html>${render(h(ReaderContext.Provider, { value: reader }, page))}`;
  response.vary('Accept, Accept-Language, Cookie');
  sendCompressed(response, html, status, { ...pageHeaders, ...headers });
}

const compress = compression();

/** Sends a text as short as its reader understands. */
export function sendCompressed(
  response: Response,
  content: string | Buffer,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  compress(response.req, response, () => {
    response.writeHead(status, headers).end(content);
  });
}

/** What Turbo brings for its bar, which is never shown (assets/console.js): else browsers would complain of it. */
const styleOfTurbo = 'sha256-WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps=';

/** Nothing but our own files runs or is shown, and forms go nowhere else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${styleOfTurbo}'`,
  "img-src 'self' data:",
  "frame-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  // Without an `Origin`, which `no-referrer` would take from forms, nobody could tell where they come from.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
};

/** Nothing is behind what is no cursor. */
export function refusedCursor(error: unknown): never {
  faultsOf(error);
  throw notFound();
}
