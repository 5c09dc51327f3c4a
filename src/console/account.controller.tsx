import { Get, Inject, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { Sessions } from '../access/sessions.js';
import { startOfDay, todayIn } from '../common/calendar.js';
import { mailChoices } from '../common/column-values.js';
import { notFound } from '../common/errors.js';
import { CONFIG, type Config } from '../config.js';
import { Absences } from '../workflows/definition/absences.js';
import { DefinitionFaults } from '../workflows/definition/source/faults.js';
import { type Reply } from '../common/reply.js';
import { CalendarFeeds } from '../automation/calendar/calendar-feeds.service.js';
import { Preferences } from '../messages/inbox/preferences.js';
import { AskedHere, type AskedOfPages, CurrentReader, Pages } from './console-controller.js';
import { Cookies } from './cookies.js';
import { FormBody } from './form-body.js';
import { pageReply, seeOther } from './page.js';
import { AccountPage, type RefusedAbsence } from './pages/account-page.js';
import { type SignedIn } from './reader.js';

@Pages()
export class AccountController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookies: Cookies,
    private readonly preferences: Preferences,
    private readonly absences: Absences,
    private readonly calendars: CalendarFeeds,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('account')
  async page(@AskedHere() { reader, query }: AskedOfPages): Promise<Reply> {
    return this.show(reader, { isDone: query.has('done') });
  }

  @Post('account/notifications')
  async choose(@CurrentReader() { session }: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const choice = mailChoices.find((each) => each === form.get('mail'));
    if (!choice) throw notFound();
    await this.preferences.chooseMail(session, choice);
    return seeOther('/account?done#notifications');
  }

  @Post('account/browser')
  async noteBrowser(@CurrentReader() reader: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    await this.preferences.noteBrowser(reader.session, form.get('timeZone') ?? '');
    return seeOther('/account');
  }

  @Post('account/absence')
  async setAbsence(@CurrentReader() reader: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [from = '', until = '', deputy = ''] = ['from', 'until', 'to'].map((name) => form.get(name) ?? '');
    const away = form.has('clear') ? null : { from, until, to: deputy };
    const today = todayIn(reader.workspace.rows.workspace.timezone, reader.now);
    // A definition may contain an absence that has ended, so only this page refuses such an absence.
    const isPast = startOfDay(from) && startOfDay(until) && from < until && until <= today;
    if (away && isPast)
      return this.show(reader, { absence: { away, faults: [['until', ['is not after today']]] } });
    try {
      await this.absences.replace(reader.workspace, reader.user, away);
      return seeOther('/account?done#absence');
    } catch (error) {
      if (!(error instanceof DefinitionFaults)) throw error;
      // A fault of `users[0].away.until` is a fault of the control `until`.
      const faults = error.faults.map(
        ({ path, message }) => [path.split('.').at(-1) ?? '', [message]] as const,
      );
      return this.show(reader, { absence: { away, faults } });
    }
  }

  /** Creates a new URL for the reader's calendar. The URL is shown only once. */
  @Post('account/calendar')
  async makeCalendar(@CurrentReader() reader: SignedIn, @FormBody() _: URLSearchParams): Promise<Reply> {
    return this.show(reader, { calendar: await this.calendars.make(reader.session) });
  }

  @Post('account/calendar/remove')
  async removeCalendar(
    @CurrentReader() { session }: SignedIn,
    @FormBody() _: URLSearchParams,
  ): Promise<Reply> {
    await this.calendars.remove(session);
    return seeOther('/account?done#calendar');
  }

  @Post('sign-out')
  async signOut(@CurrentReader() { session }: SignedIn, @Req() request: Request): Promise<Reply> {
    await this.sessions.signOut(session, session.hash);
    return this.signedOut(request);
  }

  @Post('sign-out/everywhere')
  async signOutEverywhere(
    @CurrentReader() { session }: SignedIn,
    @Req() request: Request,
    @FormBody() _: URLSearchParams,
  ): Promise<Reply> {
    await this.sessions.signOut(session);
    return this.signedOut(request);
  }

  private async show({ session }: SignedIn, { absence, calendar, isDone = false }: Answered): Promise<Reply> {
    const shown = {
      sessions: await this.sessions.ofUser(session),
      mail: this.config.smtpUrl === undefined ? undefined : await this.preferences.mailChoice(session),
      absence,
      calendar,
      isDone,
      hasCalendar: await this.calendars.isMade(session),
    };
    return pageReply(<AccountPage {...shown} />, { status: absence ? 422 : 200 });
  }

  private signedOut(request: Request): Reply {
    this.cookies.session.clear(request);
    return seeOther('/', { 'Clear-Site-Data': '"cache"' });
  }
}

interface Answered {
  readonly absence?: RefusedAbsence;
  readonly calendar?: string;
  readonly isDone?: boolean;
}
