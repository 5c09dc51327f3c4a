import { type Request } from 'express';
import { TransactionCookies } from '../../../src/console/oidc/transaction-cookies.js';

const transaction = { state: 'S'.repeat(43), nonce: 'N'.repeat(43), verifier: 'V'.repeat(43) };
const withCookies = (cookie: string): Request => ({ headers: { cookie } }) as unknown as Request;

describe('a sign-in by OpenID Connect that is under way', () => {
  const cookies = new TransactionCookies({ publicUrl: 'https://tasks.acme.test' });

  it('is kept by a cookie of this very host, for ten minutes', () => {
    const [kept = '', ...others] = cookies.keep(withCookies(''), { transaction, asked: '/account' });
    expect(kept).toMatch(
      /^__Host-wts-oidc-S{12}=S{43}\.N{43}\.V{43}\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(others).toEqual([]);
    const [cookie = ''] = kept.split(';');
    expect(cookies.find(withCookies(cookie), transaction.state)).toEqual({ transaction, asked: '/account' });
    // One whose state only begins alike is another.
    expect(cookies.find(withCookies(cookie), `${'S'.repeat(12)}x`)).toBeUndefined();
  });

  it('makes the browser forget those before it, where there are many', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => `__Host-wts-oidc-${name}=x`).join('; ');
    const set = cookies.keep(withCookies(`wts=1; ${many}`), { transaction, asked: '/' });
    expect(set.map((cookie) => /^__Host-wts-oidc-(\w+)=.*Max-Age=(\d+)/.exec(cookie)?.slice(1))).toEqual([
      ...['a', 'b', 'c', 'd', 'e'].map((name) => [name, '0']),
      ['S'.repeat(12), '600'],
    ]);
  });
});
