/** The part of it that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import { type RequestListener } from 'node:http';

  interface Account {
    readonly accountId: string;
    claims(use: 'id_token' | 'userinfo'): object;
  }

  class Provider {
    constructor(
      issuer: string,
      configuration: {
        readonly clients: readonly object[];
        readonly claims: Readonly<Record<string, readonly string[]>>;
        readonly conformIdTokenClaims: boolean;
        readonly findAccount: (context: unknown, id: string) => Account;
        readonly pkce: { readonly required: () => boolean };
      },
    );
    callback(): RequestListener;
  }

  export { Provider as default };
}
