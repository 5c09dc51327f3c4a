import { type Request } from 'express';
import { type Config } from '../config.js';

/** A cookie that no script sees, bound to this host and, where the service is reached by https, to that. */
export class HostCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  constructor(
    { publicUrl }: Pick<Config, 'publicUrl'>,
    name: string,
    private readonly seconds: number,
  ) {
    this.isSecure = publicUrl?.startsWith('https:') === true;
    // Browsers take the prefix only from https.
    this.name = this.isSecure ? `__Host-${name}` : name;
  }

  /** What the browser sent; of several none counts, as somebody else may have set one. */
  read({ headers }: Request): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    const values = pairs.filter(([name]) => name === this.name).map(([, value]) => value);
    return values.length === 1 ? values[0] : undefined;
  }

  set(value: string): string {
    return this.with(value, this.seconds);
  }

  clear(): string {
    return this.with('', 0);
  }

  private with(value: string, seconds: number): string {
    const secure = this.isSecure ? '; Secure' : '';
    return `${this.name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }
}
