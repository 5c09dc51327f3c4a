import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import {
  createSignInLink,
  SessionsRepository,
  type UserKey,
  workspaceOfToken,
} from '../auth/sessions.repository.js';
import { UserEntity } from '../workspace/entities/user.entity.js';
import { type Reply } from '../lib/reply.js';
import { Metrics } from '../ops/metrics.js';
import { type User } from '../schema/field-type.js';
import { Workspaces } from '../workspace/workspaces.js';
import { AskedPage, ownPath } from './asked-page.js';
import { Attempts } from './attempts.js';
import { pageReply, seeOther } from './page.js';
import { ChoicePage, LinkPage, NotSignedInPage, type WorkspaceLink } from './pages/sign-in-page.js';
import { anybody } from './reader.js';
import { Sessions } from './session.guard.js';

/** Signs in by links, and whoever was recognized in another way. */
@Injectable()
export class SignIns {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly stored: SessionsRepository,
    private readonly workspaces: Workspaces,
    private readonly sessions: Sessions,
    private readonly attempts: Attempts,
    private readonly asked: AskedPage,
    private readonly metrics: Metrics,
  ) {}

  /** Asks whether to sign in; the link stays as it is. */
  async show(request: Request, token: string): Promise<Reply> {
    const user = await this.userOf(token);
    const to = anybody(request);
    return user
      ? pageReply(<LinkPage to={to} user={user} path={request.path} asked={this.asked.kept(request)} />)
      : deadLink(request);
  }

  /** Signs in, and uses the link up; `asked` is where to go then, if that is a page of ours. */
  async use(request: Request, token: string, asked: string): Promise<Reply> {
    const browser = request.headers['user-agent'] ?? '';
    const secret = await this.stored.signIn(token, browser);
    this.metrics.noteSignIn('link', secret === undefined ? 'refused' : 'signed in');
    if (secret !== undefined) return this.welcome(request, secret, asked);
    // Counted only now: whatever others have tried, a link that is one works.
    await this.attempts.countLink(request, workspaceOfToken(token));
    return deadLink(request);
  }

  /** Signs in whoever is these users, or asks for the workspace where they are in several; undefined where nobody is left. */
  async enter(
    request: Request,
    users: readonly UserKey[],
    asked: string,
    forgotten: readonly string[] = [],
  ): Promise<Reply | undefined> {
    const links = await this.linksOf(users);
    if (links.length > 1) {
      const page = <ChoicePage to={anybody(request)} links={links} asked={asked} />;
      return pageReply(page, { headers: { 'Set-Cookie': [...forgotten] } });
    }
    const secret = await this.stored.signIn(links[0]?.token ?? '', request.headers['user-agent'] ?? '');
    return secret === undefined ? undefined : this.welcome(request, secret, asked, forgotten);
  }

  /** Each workspace is a link that signs in once. */
  private async linksOf(users: readonly UserKey[]): Promise<WorkspaceLink[]> {
    const links = [];
    for (const { workspaceId, userId: id } of users) {
      const { rows } = await this.workspaces.get(workspaceId);
      const token = await createSignInLink(this.users.manager, { workspaceId, id });
      links.push({ workspace: rows.workspace.name, token });
    }
    return links.sort((one, other) => one.workspace.localeCompare(other.workspace));
  }

  /** Gives the browser its session, and leads to the page that was asked for. */
  welcome(request: Request, secret: string, asked: string, forgotten: readonly string[] = []): Reply {
    const cookies = [this.sessions.cookie.set(secret), ...this.asked.forget(request), ...forgotten];
    return seeOther(ownPath(asked) ?? '/', { 'Set-Cookie': cookies });
  }

  private async userOf(token: string): Promise<User | undefined> {
    const found = await this.stored.userOfLink(token);
    return found && (await this.workspaces.get(found.workspaceId)).users.get(found.userId);
  }
}

/** Where a link does not, or no longer, sign in. */
function deadLink(request: Request): Reply {
  const to = anybody(request);
  const { usedUp, again } = to.words.signIn;
  return pageReply(<NotSignedInPage to={to} title={usedUp} more={again} />, { status: 404 });
}
