import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { SESSION_DAYS } from '../access/sessions.js';
import { CONFIG, type Config } from '../config.js';

/** A cookie of this host alone that no script sees. */
class HostCookie {
  constructor(
    private readonly name: string,
    private readonly seconds: number,
    private readonly secure: boolean,
  ) {}

  /** What the browser sent; of several none counts, because somebody else may have set one. */
  read({ headers }: Request): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    const values = pairs.filter(([name]) => name === this.name).map(([, value]) => value);
    return values.length === 1 ? values[0] : undefined;
  }

  set({ res }: Request, value: string): void {
    res?.cookie(this.name, value, { ...this.options, maxAge: this.seconds * 1000 });
  }

  /** Makes the browser forget it, if it has sent one. */
  clear(request: Request): void {
    if (this.read(request) !== undefined) request.res?.clearCookie(this.name, this.options);
  }

  private get options() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.secure } as const;
  }
}

/** The cookies of the console. */
@Injectable()
export class Cookies {
  /** The secret of a session. */
  readonly session: HostCookie;
  /** The page to which signing in leads. */
  readonly page: HostCookie;
  /** A requested mail. */
  readonly mail: HostCookie;
  /** A sign-in by the identity provider that has begun. */
  readonly oidc: HostCookie;

  constructor(@Inject(CONFIG) { publicUrl }: Config) {
    const isSecure = publicUrl?.startsWith('https:') === true;
    const cookie = (name: string, seconds: number): HostCookie =>
      // Browsers take the prefix only from https.
      new HostCookie(isSecure ? `__Host-${name}` : name, seconds, isSecure);
    this.session = cookie('wts', SESSION_DAYS * 86_400);
    this.page = cookie('wts-to', 900);
    this.mail = cookie('wts-code', 900);
    this.oidc = cookie('wts-oidc', 600);
  }
}
