import { type Request } from 'express';
import { type Transaction } from '../../auth/oidc.js';
import { type Config } from '../../config.js';
import { HostCookie } from '../host-cookie.js';

/** A sign-in that was begun in this browser, and the page that it is to lead to. */
interface BegunSignIn {
  readonly transaction: Transaction;
  readonly asked: string;
}

/**
 * Keeps what is under way in the browser, a cookie for each attempt, so that two tabs do not disturb each other. Only who
 * has the cookie can use the code that the provider gives; what is in it is of no use without that.
 */
export class TransactionCookies {
  constructor(private readonly config: Pick<Config, 'publicUrl'>) {}

  /** Cookies that keep this one; where there are many, they forget the others. */
  keep(request: Request, { transaction, asked }: BegunSignIn): string[] {
    const { state, nonce, verifier } = transaction;
    const others = namesIn(request);
    const forgotten = others.length < MAX_UNDER_WAY ? [] : others.map((name) => this.named(name).clear());
    const page = Buffer.from(asked).toString('base64url');
    return [...forgotten, this.of(state).set([state, nonce, verifier, page].join('.'))];
  }

  /** What was begun in this browser under this state. */
  find(request: Request, state: string): BegunSignIn | undefined {
    const parts = this.of(state).read(request)?.split('.') ?? [];
    const [own = '', nonce = '', verifier = '', page = ''] = parts;
    if (own !== state || nonce === '' || verifier === '') return undefined;
    return { transaction: { state, nonce, verifier }, asked: Buffer.from(page, 'base64url').toString() };
  }

  forget(state: string): string {
    return this.of(state).clear();
  }

  private of(state: string): HostCookie {
    return this.named(prefix + state.replace(/[^\w-]/g, '').slice(0, 12));
  }

  private named(name: string): HostCookie {
    return new HostCookie(this.config, name, 600);
  }
}

const prefix = 'wts-oidc-';
/** A browser that leaves more of them behind would send long headers. */
const MAX_UNDER_WAY = 5;

function namesIn({ headers }: Request): string[] {
  const names = (headers.cookie ?? '').matchAll(/(?:^|[;\s])(?:__Host-)?(wts-oidc-[\w-]{1,12})=/g);
  return [...names].map(([, name = '']) => name);
}
