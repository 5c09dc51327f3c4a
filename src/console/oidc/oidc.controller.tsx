import { Get, Inject, type OnApplicationShutdown, Req } from '@nestjs/common';
import { type Request } from 'express';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { type Identity, type OidcClient, type Transaction } from '../../auth/oidc.js';
import { OidcFailure } from '../../auth/oidc-failure.js';
import { CONFIG, type Config } from '../../config.js';
import { UserEntity } from '../../workspace/entities/user.entity.js';
import { notFound } from '../../lib/errors.js';
import { LOGGER, type Logger } from '../../lib/logger.js';
import { type Reply } from '../../lib/reply.js';
import { isStorable } from '../../schema/text-rules.js';
import { MAX_EMAIL_LENGTH } from '../../schema/users.js';
import { Metrics } from '../../ops/metrics.js';
import { publicAddress } from '../../lib/public-address.js';
import { AskedPage, ownPath } from '../asked-page.js';
import { Attempts } from '../attempts.js';
import { OpenPages } from '../console-controller.js';
import { pageReply, seeOther } from '../page.js';
import { type OidcRefusal, RefusedPage } from '../pages/sign-in-page.js';
import { anybody } from '../reader.js';
import { SignIns } from '../sign-ins.js';
import { TransactionCookies } from './transaction-cookies.js';

/** Signs in by the identity provider of those who run the service; nothing is here where none is set up. */
@OpenPages('sign-in/oidc')
export class OidcController implements OnApplicationShutdown {
  private readonly cookies: TransactionCookies;
  private opened: Promise<OidcClient> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly attempts: Attempts,
    private readonly asked: AskedPage,
    private readonly signIns: SignIns,
  ) {
    this.cookies = new TransactionCookies(config);
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.opened)?.close();
  }

  /** Sends the browser to the provider. */
  @Get()
  async begin(@Req() request: Request): Promise<Reply> {
    const client = await this.client();
    const asked = ownPath(new URLSearchParams(queryOf(request)).get('asked') ?? '');
    try {
      const { url, transaction } = await client.begin();
      const begun = { transaction, asked: asked ?? this.asked.kept(request) };
      return seeOther(url.href, { 'Set-Cookie': this.cookies.keep(request, begun) });
    } catch (error) {
      return this.refuse(request, refusalOf(error));
    }
  }

  /** Takes the browser back from the provider: signs in, or asks for the workspace, or says why not. */
  @Get('callback')
  async finish(@Req() request: Request): Promise<Reply> {
    await this.client();
    const state = new URLSearchParams(queryOf(request)).get('state') ?? '';
    const begun = this.cookies.find(request, state);
    const outcome = await this.usersOf(request, begun?.transaction);
    const forgotten = begun ? [this.cookies.forget(state)] : [];
    return 'refusal' in outcome
      ? this.refuse(request, outcome, forgotten)
      : this.welcome(request, outcome.users, begun?.asked ?? '/', forgotten);
  }

  private async usersOf(request: Request, transaction: Transaction | undefined): Promise<Outcome> {
    if (!transaction) return { refusal: 'over' };
    const identity = await this.identityOf(request, transaction);
    return 'refusal' in identity ? identity : this.usersNamed(identity);
  }

  private async identityOf(request: Request, transaction: Transaction): Promise<Identity | Refused> {
    const query = queryOf(request);
    // Only this browser knows what was begun here: no other page can have it send a wrong code.
    const asksProvider = new URLSearchParams(query).has('code');
    if (asksProvider) await this.attempts.checkCode(request);
    try {
      return await (await this.client()).finish(query, transaction);
    } catch (error) {
      const refused = refusalOf(error);
      if (asksProvider && refused.refusal === 'refused') await this.attempts.countCode(request);
      return refused;
    }
  }

  private async usersNamed({ email, isVerified }: Identity): Promise<Outcome> {
    if (email === undefined || !isVerified) return { refusal: 'unverified' };
    const emailKey = email.toLowerCase();
    // The kelvin sign in small letters is an ASCII k, which would make another address of it.
    const isSame = asciiIn(email) === asciiIn(emailKey);
    const canBeUser = isSame && email.length <= MAX_EMAIL_LENGTH && isStorable(email);
    const where = { emailKey, active: true };
    const users = canBeUser ? await this.users.find({ where, take: MAX_WORKSPACES }) : [];
    return users.length > 0 ? { users } : { refusal: 'unknown', email: shown(email) };
  }

  private async welcome(
    request: Request,
    users: readonly UserEntity[],
    asked: string,
    forgotten: readonly string[],
  ): Promise<Reply> {
    const found = users.map(({ workspaceId, id: userId }) => ({ workspaceId, userId }));
    const entered = await this.signIns.enter(request, found, asked, forgotten);
    if (!entered) return this.refuse(request, { refusal: 'over' }, forgotten);
    this.note(users.length > 1 ? 'several workspaces' : 'signed in');
    return entered;
  }

  private refuse(request: Request, refused: Refused, forgotten: readonly string[] = []): Reply {
    const { refusal, email, reason } = refused;
    this.note(refusal, reason);
    const page = <RefusedPage to={anybody(request)} refusal={refusal} email={email} />;
    return pageReply(page, { status: statuses[refusal], headers: { 'Set-Cookie': [...forgotten] } });
  }

  private note(outcome: string, reason?: string): void {
    this.metrics.noteSignIn('oidc', outcome);
    const level = outcome === 'away' ? 'warn' : 'info';
    this.logger[level]({ way: 'oidc', outcome, ...(reason !== undefined && { reason }) }, 'sign-in');
  }

  /** Loads the library when somebody first needs it. */
  private async client(): Promise<OidcClient> {
    const { oidc, outboundAllow } = this.config;
    if (!oidc) throw notFound();
    const callback = `${publicAddress(this.config)}/sign-in/oidc/callback`;
    this.opened ??= import('../../auth/oidc.js').then(
      ({ OidcClient }) => new OidcClient(oidc, callback, outboundAllow),
    );
    return this.opened;
  }
}

type Outcome = { readonly users: readonly UserEntity[] } | Refused;

interface Refused {
  readonly refusal: OidcRefusal;
  readonly email?: string;
  /** For the log. */
  readonly reason?: string;
}

/** None is an error of the service: also not that another one is away. */
const statuses: Readonly<Record<OidcRefusal, number>> = {
  away: 424,
  refused: 403,
  over: 400,
  unverified: 403,
  unknown: 403,
};

/** What a page shows of an address: a provider may send one of any length, with control characters in it. */
const shown = (email: string): string => email.slice(0, MAX_EMAIL_LENGTH).replace(/\p{C}/gu, '\uFFFD');

/** As many as fit on a page; who is in more of them asks for a link. */
const MAX_WORKSPACES = 50;

/** What stands behind the path, as it came. */
function queryOf({ originalUrl }: Request): string {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
}

const asciiIn = (text: string): number => text.replace(/\P{ASCII}/gu, '').length;

function refusalOf(error: unknown): Refused {
  if (!(error instanceof OidcFailure)) throw error;
  return { refusal: error.kind, reason: error.message };
}
