import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { signIn, userOfLink } from '../auth/sessions.js';
import { type Reply } from '../lib/reply.js';
import { type User } from '../schema/field-type.js';
import { Workspaces } from '../workspace/workspaces.js';
import { pageReply, seeOther } from './page.js';
import { DeadLinkPage, LinkPage } from './pages/sign-in-page.js';
import { anybody } from './reader.js';
import { Sessions } from './session.guard.js';

/** Signs in by links. */
@Injectable()
export class SignIns {
  /** Links that are none, by the address that tries them: nobody can guess one, and trying costs us queries. */
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: 60 });

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly sessions: Sessions,
  ) {}

  /** Asks whether to sign in; the link stays as it is. */
  async show(request: Request, token: string): Promise<Reply> {
    const to = anybody(request);
    const user = (await this.isBarred(request)) ? undefined : await this.userOf(token);
    if (user) return pageReply(<LinkPage to={to} user={user} path={request.path} />);
    return this.refuse(request);
  }

  /** Signs in, and uses the link up. */
  async use(request: Request, token: string): Promise<Reply> {
    const browser = request.headers['user-agent'] ?? '';
    const secret = (await this.isBarred(request))
      ? undefined
      : await signIn(this.dataSource.manager, token, browser);
    return secret === undefined
      ? this.refuse(request)
      : seeOther('/', { 'Set-Cookie': this.sessions.cookie.set(secret) });
  }

  private async userOf(token: string): Promise<User | undefined> {
    const found = await userOfLink(this.dataSource.manager, token);
    return found && (await this.workspaces.get(found.workspaceId)).users.get(found.userId);
  }

  private async isBarred(request: Request): Promise<boolean> {
    const failed = await this.failures.get(addressOf(request));
    return (failed?.consumedPoints ?? 0) >= MAX_FAILURES;
  }

  private async refuse(request: Request): Promise<Reply> {
    const to = anybody(request);
    const { signIn } = to.words;
    const isBarred = await this.isBarred(request);
    if (!isBarred) await this.failures.consume(addressOf(request)).catch(ignoreLimit);
    return isBarred
      ? pageReply(<DeadLinkPage to={to} title={signIn.tooMany} />, {
          status: 429,
          headers: { 'Retry-After': '60' },
        })
      : pageReply(<DeadLinkPage to={to} title={signIn.usedUp} />, { status: 404 });
  }
}

const MAX_FAILURES = 20;

const addressOf = ({ socket }: Request): string => socket.remoteAddress ?? '';

function ignoreLimit(error: unknown): void {
  if (!(error instanceof RateLimiterRes)) throw error;
}
