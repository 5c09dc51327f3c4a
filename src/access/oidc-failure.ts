/** Why a sign-in by an identity provider failed. */
export type OidcRefusal = 'away' | 'refused' | 'over' | 'unverified' | 'unknown';

/** A failed sign-in by an identity provider. */
export class OidcFailure extends Error {
  constructor(
    readonly refusal: OidcRefusal,
    /** For the log: contains no secrets. */
    readonly reason?: string,
    /** Of the account, if no user has it. */
    readonly email?: string,
  ) {
    super(reason);
  }
}
