/** Why an identity provider has signed nobody in; the message may be logged, it holds nothing secret. */
export class OidcFailure extends Error {
  constructor(
    /** Whether the provider could not be asked, or has answered, in its way, no. */
    readonly kind: 'away' | 'refused',
    message: string,
  ) {
    super(message);
  }
}
