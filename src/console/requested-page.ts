import { type Request } from 'express';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { type Cookies } from './cookies.js';

// Signing in leads to the page that somebody has requested before. The browser keeps it, because a mailed link may be
// opened much later.

/** Keeps the requested page in the browser, unless it is none for people. */
export function keepRequestedPage({ page }: Cookies, request: Request): void {
  const { method, headers, originalUrl } = request;
  const isPage = method === 'GET' && (headers.accept ?? '').includes('text/html');
  const isPart = 'turbo-frame' in headers || 'sec-purpose' in headers || 'x-sec-purpose' in headers;
  if (isPage && !isPart && originalUrl !== '/' && isOwnPath(originalUrl))
    page.set(request, Buffer.from(originalUrl).toString('base64url'));
}

/** The path of the page that the browser has kept, or else of the first one; the browser forgets it. */
export function takeRequestedPage({ page }: Cookies, request: Request): string {
  const path = Buffer.from(page.read(request) ?? '', 'base64url').toString();
  page.clear(request);
  return isOwnPath(path) ? path : '/';
}

/**
 * Whether every browser takes the text for a path of this host, as it is: texts that must be normalized first
 * (`/\evil.test`, `/..//evil.test`, a tab) could be read in two ways.
 */
function isOwnPath(text: string): boolean {
  const isPath =
    text.startsWith('/') && text.length <= MAX_PATH && readUrl(text, anyHost)?.href === anyHost + text;
  return isPath && !/^\/sign-(in|out)\b/.test(text);
}

const anyHost = 'http://any.invalid';
/** Browsers keep 4096 bytes of a cookie. */
const MAX_PATH = 1500;
