import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { type Response } from 'express';
import { Reply } from '../lib/reply.js';
import { anybody, type PageRequest, ReaderContext } from './reader.js';

/** How a page is answered beside its content. */
export interface PageHead {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Answers with a page. */
export function pageReply(page: VNode, head: PageHead = {}): Reply {
  return new Reply((response) => sendPage(response, page, head));
}

/** Answers a form: the browser goes on to this path, by GET. */
export function seeOther(path: string, headers: PageHead['headers'] = {}): Reply {
  return new Reply((response) => {
    response.writeHead(303, { ...headers, Location: path, 'Cache-Control': 'no-store' }).end();
  });
}

/** Sends a page at once, for who has only a response. */
export async function sendPage(
  response: Response,
  page: VNode,
  { status = 200, headers = {} }: PageHead,
): Promise<void> {
  const request: PageRequest = response.req;
  const reader = request.reader ?? anybody(request);
  const html = Buffer.from(`<!doctype html>${render(h(ReaderContext.Provider, { value: reader }, page))}`);
  const isZipped = response.req.acceptsEncodings('gzip') === 'gzip';
  const bytes = isZipped ? await promisify(gzip)(html, { level: 5 }) : html;
  if (response.headersSent) return;
  const encoding = isZipped ? { 'Content-Encoding': 'gzip' } : {};
  response.vary('Accept, Accept-Encoding, Accept-Language, Cookie');
  response.writeHead(status, { ...pageHeaders, ...encoding, ...headers, 'Content-Length': bytes.length });
  response.end(bytes);
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
