import { Get, Inject, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { setAbsence } from '../definitions/set-absence.js';
import { DefinitionFaults } from '../definitions/source/faults.js';
import { SessionsRepository } from '../auth/sessions.repository.js';
import { CONFIG, type Config } from '../config.js';
import { UserEntity } from '../workspace/entities/user.entity.js';
import { Preferences } from '../notifications/preferences.js';
import { type Reply } from '../lib/reply.js';
import { noteDeliverable, undeliverableSince } from '../notifications/mail/delivery.repository.js';
import { Workspaces } from '../workspace/workspaces.js';
import { CurrentReader, Pages } from './console-controller.js';
import { FormBody } from './form-body.js';
import { pageReply, seeOther } from './page.js';
import { AccountPage } from './pages/account-page.js';
import { type SignedIn } from './reader.js';
import { Sessions } from './session.guard.js';

/** Where somebody is signed in and how to end that, whether single keys do something, and where they hear of what. */
@Pages()
export class AccountController {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly stored: SessionsRepository,
    private readonly sessions: Sessions,
    private readonly preferences: Preferences,
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  @Get('account')
  async page(@CurrentReader() to: SignedIn): Promise<Reply> {
    return pageReply(<AccountPage to={to} {...await this.shownTo(to)} />);
  }

  @Post('account/shortcuts')
  async setShortcuts(@CurrentReader() to: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { workspaceId, userId: id } = to.session;
    const shortcuts = form.get('shortcuts') === 'on';
    await this.users.update({ workspaceId, id }, { shortcuts });
    return seeOther('/account#keys');
  }

  @Post('account/notifications')
  async choose(@CurrentReader() { session }: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    await this.preferences.choose(session, (reason) => form.get(reason));
    return seeOther('/account#notifications');
  }

  /** Notes where the reader's browser is. */
  @Post('account/browser')
  async noteBrowser(@CurrentReader() to: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    await this.preferences.noteBrowser(to.session, form.get('timeZone') ?? '');
    return seeOther('/account');
  }

  /** The reader says that mail reaches them again. */
  @Post('account/mail')
  async mailAgain(@CurrentReader() { session }: SignedIn): Promise<Reply> {
    await noteDeliverable(this.users.manager, session);
    return seeOther('/account');
  }

  /** Says when the reader is away and who decides for them then, or that they are not. */
  @Post('account/absence')
  async setAbsence(@CurrentReader() to: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { user, workspace } = to;
    const [from = '', until = '', deputy = ''] = ['from', 'until', 'to'].map((name) => form.get(name) ?? '');
    const away = form.has('clear') ? null : { from, until, to: deputy };
    try {
      const { email, firstName = null, lastName = null } = user;
      await setAbsence(this.dataSource, workspace.slug, { email, firstName, lastName }, away);
      // So that the next page shows it.
      await this.workspaces.inForce(workspace.id);
      return seeOther('/account#absence');
    } catch (error) {
      if (!(error instanceof DefinitionFaults)) throw error;
      const absence = { away, faults: error.faults.map(({ message }) => message) };
      const shown = await this.shownTo(to);
      return pageReply(<AccountPage to={to} {...shown} absence={absence} />, { status: 422 });
    }
  }

  @Post('sign-out')
  async signOut(@CurrentReader() { session }: SignedIn): Promise<Reply> {
    await this.stored.signOut(session, session.hash);
    return this.signedOut();
  }

  @Post('sign-out/one')
  async signOutOne(@CurrentReader() to: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { session } = to;
    const which = Buffer.from(form.get('session') ?? '', 'base64url');
    await this.stored.signOut(session, which);
    return which.equals(session.hash) ? this.signedOut() : seeOther('/account');
  }

  @Post('sign-out/everywhere')
  async signOutEverywhere(@CurrentReader() { session }: SignedIn): Promise<Reply> {
    await this.stored.signOut(session);
    return this.signedOut();
  }

  private async shownTo({ session }: SignedIn) {
    const { workspaceId, userId } = session;
    const [sessions, choices, undeliverable] = await Promise.all([
      this.stored.ofUser(session),
      this.preferences.choices(session),
      undeliverableSince(this.users.manager, workspaceId, [userId]),
    ]);
    const sendsMail = this.config.smtpUrl !== undefined;
    return { sessions, notifications: { choices, sendsMail }, undeliverable: undeliverable.get(userId) };
  }

  private signedOut(): Reply {
    const headers = { 'Set-Cookie': this.sessions.cookie.clear(), 'Clear-Site-Data': '"cache"' };
    return seeOther('/', headers);
  }
}
