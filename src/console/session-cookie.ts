import { type Request } from 'express';
import { type Config } from '../config.js';
import { SESSION_DAYS } from '../auth/sessions.js';

/** The cookie that holds a session: bound to this host, and to https where the service is reached by that. */
export class SessionCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  constructor({ publicUrl }: Pick<Config, 'publicUrl'>) {
    this.isSecure = publicUrl?.startsWith('https:') === true;
    // Browsers take the prefix only from https.
    this.name = this.isSecure ? '__Host-wts' : 'wts';
  }

  /** What the browser sent; of several none counts, as somebody else may have set one. */
  read({ headers }: Request): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    const values = pairs.filter(([name]) => name === this.name).map(([, value]) => value);
    return values.length === 1 ? values[0] : undefined;
  }

  set(secret: string): string {
    return this.with(secret, SESSION_DAYS * 86_400);
  }

  clear(): string {
    return this.with('', 0);
  }

  private with(value: string, seconds: number): string {
    const secure = this.isSecure ? '; Secure' : '';
    return `${this.name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }
}
