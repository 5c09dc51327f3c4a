import { Get, Inject, Param, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { type SignInClient, type SignInResult, SignIns } from '../access/sign-ins.js';
import { CONFIG, type Config } from '../config.js';
import { notFound } from '../common/errors.js';
import { addressIn } from '../common/mail-address.js';
import { type Reply } from '../common/reply.js';
import { SignInLetters } from '../messages/sign-in-letters.js';
import { isStorable } from '../common/text.js';
import { MAX_EMAIL_LENGTH } from '../workflows/fields/users.js';
import { OpenPages } from './console-controller.js';
import { Cookies, takeRequestedPage } from './cookies.js';
import { FormBody } from './form-body.js';
import { pageReply, seeOther } from './page.js';
import {
  ChoicePage,
  LinkPage,
  mailsLinks,
  NotSignedInPage,
  MailedPage,
  SignInPage,
} from './pages/sign-in-page.js';
import { OidcSignIns } from '../access/oidc-sign-ins.js';
import { type Transaction } from '../access/oidc.js';

/** Signs users in by a link. They get the link by mail, from an administrator, or from the operator. */
@OpenPages('sign-in')
export class SignInController {
  constructor(
    private readonly signIns: SignIns,
    private readonly letters: SignInLetters,
    private readonly cookies: Cookies,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async page(): Promise<Reply> {
    const workspace = await this.signIns.onlyWorkspace();
    return pageReply(<SignInPage config={this.config} workspace={workspace} />);
  }

  @Post('mail')
  async requestMail(@Req() request: Request, @FormBody() form: URLSearchParams): Promise<Reply> {
    if (!mailsLinks(this.config)) throw notFound();
    const given = form.get('email') ?? '';
    const email = given.trim();
    if (!isAddress(email))
      return pageReply(<SignInPage config={this.config} mail={given} />, { status: 422 });
    await this.letters.request(email, request.ip ?? '');
    return seeOther('/sign-in/sent');
  }

  @Get('sent')
  sentPage(): Reply {
    return pageReply(<MailedPage />);
  }

  /** Asks the user to confirm the sign-in. Opening the page does not use up the link. */
  @Get(':token')
  async linkPage(@Req() request: Request, @Param('token') token: string): Promise<Reply> {
    const user = await this.signIns.userOfLink(token);
    return user ? pageReply(<LinkPage user={user} path={request.path} />) : invalidLink();
  }

  @Post(':token')
  async useLink(@Req() request: Request, @Param('token') token: string): Promise<Reply> {
    const result = await this.signIns.byLink(token, clientOf(request));
    return result ? letIn(this.cookies, request, result) : invalidLink();
  }
}

const clientOf = ({ ip = '', headers }: Request): SignInClient => ({
  ip,
  userAgent: headers['user-agent'] ?? '',
});

/** Sets the session cookie and redirects to the requested page, or lets the user choose a workspace. */
function letIn(cookies: Cookies, request: Request, result: SignInResult): Reply {
  if ('links' in result) return pageReply(<ChoicePage links={result.links} />);
  cookies.session.set(request, result.secret);
  return seeOther(takeRequestedPage(cookies, request));
}

const invalidLink = (): Reply =>
  pageReply(<NotSignedInPage why="This link has expired or was already used." />, { status: 404 });

const isAddress = (email: string): boolean =>
  addressIn(email) === email && email.length <= MAX_EMAIL_LENGTH && isStorable(email);

@OpenPages('sign-in/oidc')
export class OidcController {
  constructor(
    private readonly signIns: OidcSignIns,
    private readonly cookies: Cookies,
  ) {}

  @Get()
  async begin(@Req() request: Request): Promise<Reply> {
    const { url, transaction } = await this.signIns.begin();
    const { state, nonce, verifier } = transaction;
    this.cookies.oidc.set(request, [state, nonce, verifier].join('.'));
    return seeOther(url.href);
  }

  @Get('callback')
  async finish(@Req() request: Request): Promise<Reply> {
    const transaction = transactionIn(this.cookies.oidc.read(request));
    this.cookies.oidc.clear(request);
    const { search } = new URL(request.originalUrl, 'http://any.invalid');
    return letIn(this.cookies, request, await this.signIns.finish(search, transaction, clientOf(request)));
  }
}

function transactionIn(cookie = ''): Transaction | undefined {
  const [state = '', nonce = '', verifier = ''] = cookie.split('.');
  return state === '' || nonce === '' || verifier === '' ? undefined : { state, nonce, verifier };
}
