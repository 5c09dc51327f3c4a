import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { addressIn } from '../lib/mail-address.js';
import { LINK_MINUTES, SessionsRepository } from '../auth/sessions.repository.js';
import { CONFIG, type Config } from '../config.js';
import { notFound } from '../lib/errors.js';
import { randomText } from '../lib/random-id.js';
import { type Reply } from '../lib/reply.js';
import { Mailer } from '../messages/mailer.js';
import { Metrics } from '../ops/metrics.js';
import { isStorable } from '../schema/text-rules.js';
import { MAX_EMAIL_LENGTH } from '../schema/users.js';
import { AskedPage } from './asked-page.js';
import { Attempts } from './attempts.js';
import { HostCookie } from './host-cookie.js';
import { pageReply, seeOther } from './page.js';
import { CodePage } from './pages/code-page.js';
import { SignInPage } from './pages/sign-in-page.js';
import { anybody } from './reader.js';
import { newCode, SignInLetters } from './sign-in-letters.js';
import { SignIns } from './sign-ins.js';

/** Signs in by a mail that somebody asks for; nothing is here where no mail server is set. */
@Injectable()
export class MailSignIns {
  private readonly cookie: HostCookie;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly mailer: Mailer,
    private readonly letters: SignInLetters,
    private readonly stored: SessionsRepository,
    private readonly attempts: Attempts,
    private readonly asked: AskedPage,
    private readonly signIns: SignIns,
    private readonly metrics: Metrics,
  ) {
    this.cookie = new HostCookie(config, 'wts-code', LINK_MINUTES * 60);
  }

  /** Sends a link and a code, and leads to where the code is entered. */
  async ask(request: Request, given: string): Promise<Reply> {
    this.requireMail();
    const email = given.trim();
    const to = anybody(request);
    if (addressIn(email) !== email || email.length > MAX_EMAIL_LENGTH || !isStorable(email))
      return pageReply(<SignInPage to={to} ways={this.asked.waysFor(request)} mail={given} />, {
        status: 422,
      });
    await this.attempts.countMail(request, email);
    const browser = randomText(32);
    this.letters.send({ email, browser, code: newCode(), to });
    const kept = `${browser}.${Buffer.from(email).toString('base64url')}`;
    return seeOther('/sign-in/code', { 'Set-Cookie': this.cookie.set(kept) });
  }

  /** Asks for the code. */
  page(request: Request): Reply {
    this.requireMail();
    const [, email] = this.kept(request);
    return email === undefined
      ? seeOther('/sign-in')
      : pageReply(<CodePage to={anybody(request)} email={email} />);
  }

  /** Signs in by the code of a mail, in the browser that has asked for it. */
  async use(request: Request, code: string): Promise<Reply> {
    this.requireMail();
    const [browser, email] = this.kept(request);
    if (browser === undefined || email === undefined) return seeOther('/sign-in');
    const users = await this.stored.useCode({ browser, code: code.replace(/[\s-]/g, '') });
    const forgotten = [this.cookie.clear()];
    const entered = await this.signIns.enter(request, users, this.asked.kept(request), forgotten);
    this.metrics.noteSignIn('mail', entered ? 'signed in' : 'refused');
    if (entered) return entered;
    await this.attempts.countLink(request, undefined);
    return pageReply(<CodePage to={anybody(request)} email={email} isRefused />, { status: 422 });
  }

  private requireMail(): void {
    if (!this.mailer.isSetUp) throw notFound();
  }

  /** What this browser holds, and the address that was entered in it. */
  private kept(request: Request): [browser?: string, email?: string] {
    const [, browser, email = ''] =
      /^([\w-]{43})\.([\w-]{1,400})$/.exec(this.cookie.read(request) ?? '') ?? [];
    return browser === undefined ? [] : [browser, Buffer.from(email, 'base64url').toString()];
  }
}
