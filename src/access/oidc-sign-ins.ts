import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { notFound } from '../common/errors.js';
import { LOGGER, type Logger } from '../common/logger.js';
import { publicAddress } from '../common/public-address.js';
import { isStorable } from '../common/text.js';
import { MAX_EMAIL_LENGTH } from '../workflows/fields/users.js';
import { Attempts } from './attempts.js';
import { type Identity, type OidcClient, type Transaction } from './oidc.js';
import { type UserKey } from './sessions.js';
import { type SignInClient, type SignInResult, SignIns, OidcFailure } from './sign-ins.js';

/** Signs people in by the operator's identity provider. Throws `OidcFailure`, or 404 without a provider. */
@Injectable()
export class OidcSignIns implements OnApplicationShutdown {
  private opened: Promise<OidcClient> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly dataSource: DataSource,
    private readonly attempts: Attempts,
    private readonly signIns: SignIns,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await (await this.opened)?.close();
  }

  /** The provider's URL, and the transaction that the browser must keep until the provider redirects back. */
  async begin(): Promise<{ readonly url: URL; readonly transaction: Transaction }> {
    const client = await this.client();
    return this.noted(() => client.begin());
  }

  async finish(
    query: string,
    transaction: Transaction | undefined,
    from: SignInClient,
  ): Promise<SignInResult> {
    const client = await this.client();
    return this.noted(async () => {
      const sent = new URLSearchParams(query);
      // Only this browser has the state, so a foreign page cannot make the browser send a stranger's code.
      if (!transaction || sent.get('state') !== transaction.state) throw new OidcFailure('over');
      const ask = (): Promise<Identity> => client.finish(query, transaction);
      const identity = await (sent.has('code') ? this.counted(ask, from) : ask());
      const result = await this.signIns.byUsers(await this.usersOf(identity), from);
      if (!result) throw new OidcFailure('over');
      this.note('links' in result ? 'several workspaces' : 'signed in');
      return result;
    });
  }

  /** Asks the provider about a code. Throws 429 if too many codes from this network were refused. */
  private async counted(ask: () => Promise<Identity>, { ip }: SignInClient): Promise<Identity> {
    await this.attempts.checkCode(ip);
    try {
      return await ask();
    } catch (error) {
      if (error instanceof OidcFailure && error.refusal === 'refused') await this.attempts.countCode(ip);
      throw error;
    }
  }

  private async usersOf({ email, isVerified }: Identity): Promise<UserKey[]> {
    if (email === undefined || !isVerified) throw new OidcFailure('unverified');
    const emailKey = email.toLowerCase();
    // Lower case turns the Kelvin sign into an ASCII k, which gives another address.
    const isSame = asciiIn(email) === asciiIn(emailKey);
    const canBeUser = isSame && email.length <= MAX_EMAIL_LENGTH && isStorable(email);
    const where = { emailKey, active: true };
    const users = canBeUser
      ? await this.dataSource.manager.find(UserEntity, { where, take: MAX_WORKSPACES })
      : [];
    if (users.length === 0) throw new OidcFailure('unknown', undefined, shown(email));
    return users.map(({ workspaceId, id: userId }) => ({ workspaceId, userId }));
  }

  private async noted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OidcFailure) this.note(error.refusal, error.reason);
      throw error;
    }
  }

  private note(outcome: string, reason?: string): void {
    const level = outcome === 'away' ? 'warn' : 'info';
    this.logger[level]({ way: 'oidc', outcome, ...(reason !== undefined && { reason }) }, 'sign-in');
  }

  private async client(): Promise<OidcClient> {
    const { oidc, outboundAllow } = this.config;
    if (!oidc) throw notFound();
    const callback = `${publicAddress(this.config)}/sign-in/oidc/callback`;
    this.opened ??= import('./oidc.js').then(
      ({ OidcClient }) => new OidcClient(oidc, callback, outboundAllow),
    );
    return this.opened;
  }
}

/** The most workspaces to choose from after a sign-in. Users of more workspaces can use mailed links. */
const MAX_WORKSPACES = 50;

/** Shortens an address and replaces its control characters, because a provider can send any text. */
const shown = (email: string): string => email.slice(0, MAX_EMAIL_LENGTH).replace(/\p{C}/gu, '\uFFFD');

const asciiIn = (text: string): number => text.replace(/\P{ASCII}/gu, '').length;
