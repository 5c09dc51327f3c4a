import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { SESSION_DAYS } from '../access/sessions.js';
import { CONFIG, type Config } from '../config.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

/** A cookie that only this host receives, and that scripts cannot read. */
class HostCookie {
  constructor(
    private readonly name: string,
    private readonly seconds: number,
    private readonly secure: boolean,
  ) {}

  /**
   * Returns undefined if the browser sent no cookie of this name, or several. If it sent several, another
   * site may have added one.
   */
  read({ headers }: Request): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    const values = pairs.filter(([name]) => name === this.name).map(([, value]) => value);
    return values.length === 1 ? values[0] : undefined;
  }

  set({ res }: Request, value: string): void {
    res?.cookie(this.name, value, { ...this.options, maxAge: this.seconds * 1000 });
  }

  /** Makes the browser delete the cookie if `read` returns a value. */
  clear(request: Request): void {
    if (this.read(request) !== undefined) request.res?.clearCookie(this.name, this.options);
  }

  private get options() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.secure } as const;
  }
}

@Injectable()
export class Cookies {
  readonly session: HostCookie;
  readonly page: HostCookie;
  readonly oidc: HostCookie;

  constructor(@Inject(CONFIG) { publicUrl }: Config) {
    const isSecure = publicUrl?.startsWith('https:') === true;
    const cookie = (name: string, seconds: number): HostCookie =>
      // Browsers accept the prefix `__Host-` only over https.
      new HostCookie(isSecure ? `__Host-${name}` : name, seconds, isSecure);
    this.session = cookie('wts', SESSION_DAYS * 86_400);
    this.page = cookie('wts-to', 900);
    this.oidc = cookie('wts-oidc', 600);
  }
}

// After sign-in, the user returns to the requested page. A cookie stores the path of that page, because the
// user may sign in by the link in a mail.

/**
 * Stores the path and query if the browser requests a whole page. Does nothing for parts of a page,
 * prefetched pages, `/`, and paths that `isOwnPath` refuses.
 */
export function keepRequestedPage({ page }: Cookies, request: Request): void {
  const { method, headers, originalUrl } = request;
  const isPage = method === 'GET' && (headers.accept ?? '').includes('text/html');
  const isPart = 'turbo-frame' in headers || 'sec-purpose' in headers || 'x-sec-purpose' in headers;
  if (isPage && !isPart && originalUrl !== '/' && isOwnPath(originalUrl))
    page.set(request, Buffer.from(originalUrl).toString('base64url'));
}

/** Returns the stored path and deletes the cookie. Returns `/` if the cookie has no path of this host. */
export function takeRequestedPage({ page }: Cookies, request: Request): string {
  const path = Buffer.from(page.read(request) ?? '', 'base64url').toString();
  page.clear(request);
  return isOwnPath(path) ? path : '/';
}

/**
 * Whether every browser uses the text unchanged as a path of this host. A text that browsers normalize
 * (`/\evil.test`, `/..//evil.test`, a tab) could lead to another host. Also false for `/sign-in`,
 * `/sign-out` and the pages below them, and for texts longer than MAX_PATH.
 */
function isOwnPath(text: string): boolean {
  const isPath =
    text.startsWith('/') && text.length <= MAX_PATH && readUrl(text, anyHost)?.href === anyHost + text;
  return isPath && !/^\/sign-(in|out)\b/.test(text);
}

const anyHost = 'http://any.invalid';
/** Longer paths are not stored, because browsers refuse a cookie of more than 4096 bytes. */
const MAX_PATH = 1500;
