import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { HostCookie } from './host-cookie.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

/** How somebody can sign in who has no link. */
export interface SignInWays {
  /** Where signing in by an identity provider begins, if there is one. */
  readonly provider: string | undefined;
  /** Whether a mail can be asked for. */
  readonly byMail: boolean;
}

/** Which page somebody asked for who had to sign in first, so that they come there; a link may be opened much later. */
@Injectable()
export class AskedPage {
  private readonly cookie: HostCookie;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.cookie = new HostCookie(config, 'wts-to', 900);
  }

  /** Headers that keep the page in the browser; none for what is not a whole page. */
  keep(request: Request): Record<string, string> {
    const path = askedPage(request);
    return path === undefined
      ? {}
      : { 'Set-Cookie': this.cookie.set(Buffer.from(path).toString('base64url')) };
  }

  /** The page that the browser keeps, or else the first one. */
  kept(request: Request): string {
    return ownPath(Buffer.from(this.cookie.read(request) ?? '', 'base64url').toString()) ?? '/';
  }

  /** How somebody can sign in who has no link, to come to this very page. */
  waysFor(request: Request): SignInWays {
    const asked = askedPage(request);
    const query = asked === undefined ? '' : `?${new URLSearchParams({ asked }).toString()}`;
    const { oidc, smtpUrl, isOutboundOn } = this.config;
    return { provider: oidc && `/sign-in/oidc${query}`, byMail: smtpUrl !== undefined && isOutboundOn };
  }

  /** Cookies that forget it, for who has been led there. */
  forget(request: Request): string[] {
    return this.cookie.read(request) === undefined ? [] : [this.cookie.clear()];
  }
}

/** The path of a page that a person has asked for, to be shown once they are signed in. */
function askedPage({ method, headers, originalUrl }: Request): string | undefined {
  const isPage = method === 'GET' && (headers.accept ?? '').includes('text/html');
  const isPart = 'turbo-frame' in headers || 'sec-purpose' in headers || 'x-sec-purpose' in headers;
  return isPage && !isPart && originalUrl !== '/' ? ownPath(originalUrl) : undefined;
}

/**
 * A text that every browser takes for a path of this very host, spelt as browsers spell it; undefined for all others: what
 * has to be made normal first (`/\evil.test`, `/..//evil.test`, a tab) might be read in two ways.
 */
export function ownPath(text: string): string | undefined {
  const isOwn =
    text.startsWith('/') && text.length <= MAX_PATH && readUrl(text, anyHost)?.href === anyHost + text;
  return isOwn && !/^\/sign-(in|out)\b/.test(text) ? text : undefined;
}

const anyHost = 'http://any.invalid';
/** Kept in cookies, of which browsers keep 4096 bytes each. */
const MAX_PATH = 1500;
