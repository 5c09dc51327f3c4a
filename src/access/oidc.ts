import { OidcFailure } from './sign-ins.js';
import { buffer } from 'node:stream/consumers';
import * as client from 'openid-client';
import { type OidcConfig } from '../config.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { outboundOf } from '../common/outbound.js';

export interface Transaction {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Identity {
  readonly email: string | undefined;
  readonly isVerified: boolean;
}

/** Signs people in with an identity provider: OpenID Connect's code flow with PKCE, `state` and `nonce`. */
export class OidcClient {
  /** Connects to the provider's own host. Any address is allowed, because the operator has set the host. */
  private readonly direct = outboundOf({ allow: ['0.0.0.0/0', '::/0'] });
  /** Connects to the other hosts that the provider's metadata names. */
  private readonly guarded: Outbound;
  private known: Promise<client.Configuration> | undefined;

  constructor(
    private readonly settings: OidcConfig,
    private readonly callback: string,
    allow: readonly string[],
  ) {
    this.guarded = outboundOf({ allow });
  }

  async begin(): Promise<{ readonly url: URL; readonly transaction: Transaction }> {
    const provider = await this.provider();
    const verifier = client.randomPKCECodeVerifier();
    const transaction = { state: client.randomState(), nonce: client.randomNonce(), verifier };
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.callback,
      scope: 'openid email',
      state: transaction.state,
      nonce: transaction.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, transaction };
  }

  /** Completes a sign-in with the query of the provider's redirect (`?code=…`). Throws `OidcFailure`. */
  async finish(query: string, { state, nonce, verifier }: Transaction): Promise<Identity> {
    const provider = await this.provider();
    try {
      const tokens = await client.authorizationCodeGrant(provider, new URL(this.callback + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return await identityOf(provider, tokens);
    } catch (error) {
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.direct.close(), this.guarded.close()]);
  }

  /** The provider's metadata, read once. After a failure, the next sign-in tries again. */
  private async provider(): Promise<client.Configuration> {
    try {
      return await (this.known ??= this.discover());
    } catch (error) {
      this.known = undefined;
      throw new OidcFailure('away', reasonOf(error));
    }
  }

  private async discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const extensions = [client.enableNonRepudiationChecks];
    // The settings allow plain http only if the issuer is on this machine. The library marks the function as
    // deprecated to warn against its use.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    if (issuer.startsWith('http:')) extensions.push(client.allowInsecureRequests);
    return client.discovery(new URL(issuer), clientId, {}, authentication(clientSecret), {
      execute: extensions,
      timeout: TIMEOUT_MS / 1000,
      [client.customFetch]: this.fetch,
    });
  }

  private readonly fetch: client.CustomFetch = async (url, { method, headers, body, signal }) => {
    const isOwn = new URL(url).host === new URL(this.settings.issuer).host;
    const answer = await (isOwn ? this.direct : this.guarded).request(url, {
      workspaceId: NO_WORKSPACE,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      signal: signal ?? AbortSignal.timeout(TIMEOUT_MS),
      maxBytes: MAX_ANSWER_BYTES,
    });
    const bytes = await buffer(answer.body);
    return new Response(bytes.length > 0 ? bytes : null, {
      status: answer.status,
      headers: [...answer.headers],
    });
  };
}

const NO_WORKSPACE = 0;
const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 262_144;

/** Sends the secret in the `Authorization` header if the provider supports this, or otherwise in the body. */
function authentication(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Reads the identity from the ID token, or from UserInfo if the token has no e-mail. */
async function identityOf(
  provider: client.Configuration,
  tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>,
): Promise<Identity> {
  const claims = tokens.claims();
  const told =
    claims?.['email'] === undefined
      ? await client.fetchUserInfo(provider, tokens.access_token, claims?.sub ?? '')
      : claims;
  const { email, email_verified: isVerified } = told;
  return { email: typeof email === 'string' ? email : undefined, isVerified: isVerified === true };
}

function failureOf(error: unknown): OidcFailure {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return new OidcFailure('refused', shownCode(error.error));
  const isRefusal =
    error instanceof client.WWWAuthenticateChallengeError ||
    (error instanceof client.ClientError && refusals.has(error.code ?? ''));
  return new OidcFailure(isRefusal ? 'refused' : 'away', reasonOf(error));
}

/** Codes of errors for a response that is too old, or that belongs to another attempt or client. */
const refusals: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

/** Returns a code such as `access_denied`. Returns `error` for a text that does not look like a code. */
const shownCode = (code: string): string => (/^[a-z_]{1,50}$/.test(code) ? code : 'error');

/** The message of an error and of its cause. Neither this file nor the library puts tokens in messages. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
