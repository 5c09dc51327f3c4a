import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Session, Sessions } from '../access/sessions.js';
import { Inboxes } from '../messages/inbox/inboxes.js';
import { zoneOfPerson } from '../messages/inbox/mail/next-digest.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { workflowsKnownTo } from '../workflows/model/known.js';
import { Cookies } from './cookies.js';
import { readQuery } from '../common/ops/query.js';
import { VIEW } from './board/addresses.js';
import { viewsKnownIn } from '../workflows/model/kinds/views.kind.js';
import { anybody, type PageRequest, type SignedIn } from './reader.js';

/** Thrown if a page is only for signed-in users and the request has no valid session. */
export class SignInNeeded extends Error {}

/** Finds the signed-in user by the cookie. API keys open no page, and sessions do not open the API. */
@Injectable()
export class Readers {
  constructor(
    private readonly sessions: Sessions,
    private readonly workspaces: Workspaces,
    private readonly inboxes: Inboxes,
    private readonly cookies: Cookies,
  ) {}

  async reader(request: PageRequest): Promise<SignedIn | undefined> {
    const secret = this.cookies.session.read(request);
    if (secret === undefined) return undefined;
    const session = await this.sessions.find(secret, !comesByItself(request));
    return session && this.signedIn(request, session);
  }

  /** Returns the signed-in user of the request. Throws `SignInNeeded` if there is none. */
  async require(request: PageRequest): Promise<SignedIn> {
    const reader = await this.reader(request);
    if (!reader) throw new SignInNeeded();
    return reader;
  }

  private async signedIn(request: PageRequest, session: Session): Promise<SignedIn | undefined> {
    const workspace = await this.workspaces.get(session.workspaceId);
    const user = workspace.users.get(session.userId);
    const timeZone = zoneOfPerson(session.timeZone, workspace.rows.workspace.timezone);
    const workflows = workflowsKnownTo(workspace, { userId: session.userId });
    const administers = workspace.permissions.administrationOf(session.userId);
    if (!user) return undefined;
    const inbox = await this.inboxes.state({ workspace, userId: user.id });
    const views = viewsKnownIn(workspace, workflows);
    const viewId = readQuery(request.originalUrl).get(VIEW);
    const view = views.find(({ id }) => id === viewId);
    const seen = { workspace, workflows, views, view, administers, inbox };
    return { ...anybody(request), session, user, timeZone, now: session.now, ...seen };
  }
}

/** Whether a page sent the request by itself, not for the user. Such requests must not prolong a session. */
const comesByItself = ({ headers }: PageRequest): boolean => headers['x-live'] !== undefined;

@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly readers: Readers) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PageRequest>();
    request.reader = await this.readers.require(request);
    return true;
  }
}
