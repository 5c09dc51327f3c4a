/** Why a sign-in by an identity provider failed. The message may be logged: it contains no secrets. */
export class OidcFailure extends Error {
  constructor(
    /** Whether the provider was unreachable or refused the sign-in. */
    readonly kind: 'away' | 'refused',
    message: string,
  ) {
    super(message);
  }
}
