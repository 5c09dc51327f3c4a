import { type OutgoingHttpHeaders } from 'node:http';
import compression from 'compression';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { type Response } from 'express';
import { type Reply } from '../common/reply.js';
import { anybody, type PageRequest, ReaderContext } from './reader.js';
import { notFound } from '../common/errors.js';
import { faultsOf } from '../common/field-errors.js';

export interface PageHead {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export function pageReply(page: VNode, head: PageHead = {}): Reply {
  return (response) => {
    sendPage(response, page, head);
  };
}

/** Redirects the browser, such as after a form. The browser then requests this path or URL by GET. */
export function seeOther(path: string, headers: PageHead['headers'] = {}): Reply {
  return (response) => {
    response.writeHead(303, { ...headers, Location: path, 'Cache-Control': 'no-store' }).end();
  };
}

/** Sends a page through a response, for callers that cannot return a `Reply`. */
export function sendPage(response: Response, page: VNode, { status = 200, headers = {} }: PageHead): void {
  const request: PageRequest = response.req;
  const reader = request.reader ?? anybody(request);
  const html = `<!doctype html>${render(h(ReaderContext.Provider, { value: reader }, page))}`;
  response.vary('Accept, Accept-Language, Cookie');
  sendCompressed(response, html, status, { ...pageHeaders, ...headers });
}

const compress = compression();

/** Sends a page or an asset, compressed if the client accepts that. */
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

/**
 * Turbo adds a style for its progress bar to each page. Without this hash, browsers would report a forbidden
 * style.
 */
const styleOfTurbo = 'sha256-WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps=';

/** Browsers load only files of the service and `data:` pictures, and send forms only to the service. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${styleOfTurbo}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers would send forms with the header `Origin: null`, but the service checks
  // `Origin`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
};

/** Throws 404 for an invalid cursor. Rethrows other errors. */
export function refusedCursor(error: unknown): never {
  faultsOf(error);
  throw notFound();
}
