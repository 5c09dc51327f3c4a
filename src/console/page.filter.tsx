import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Response } from 'express';
import { Refusal } from '../lib/errors.js';
import { Bodies } from '../http/bodies.js';
import { ErrorFilter, statusOf } from '../ops/error.filter.js';
import { AskedPage } from './asked-page.js';
import { TooManyAttempts } from './attempts.js';
import { sendPage } from './page.js';
import { readFilledForm } from './new/filled-form.js';
import { NotSignedInPage, SessionEndedPage, SignInPage } from './pages/sign-in-page.js';
import { anybody, type PageRequest, type Reader, type SignedIn } from './reader.js';
import { SignInNeeded } from './session.guard.js';
import { type VNode } from 'preact';
import { Bare, ConsolePage } from './layout.js';
import { Empty } from './parts/empty.js';

/** Shows an error as a page. */
@Catch()
export class PageFilter implements ExceptionFilter {
  constructor(
    private readonly errors: ErrorFilter,
    private readonly asked: AskedPage,
    private readonly bodies: Bodies,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const request = http.getRequest<PageRequest>();
    // Who took too long has been answered, and what has begun is cut.
    if (response.headersSent || response.closed) {
      this.errors.catch(error, host);
      return;
    }
    const to = request.reader ?? anybody(request);
    if (error instanceof SignInNeeded && request.headers.authorization !== undefined) {
      this.errors.catch(keyForPage(), host);
      return;
    }
    if (error instanceof SignInNeeded) {
      await this.askToSignIn(error, request, response);
      return;
    }
    if (error instanceof TooManyAttempts) {
      const headers = { 'Retry-After': String(error.seconds) };
      const { tooMany, tooManyMails } = to.words.signIn;
      const title = error.what === 'mails' ? tooManyMails : tooMany;
      await sendPage(response, <NotSignedInPage to={to} title={title} />, { status: 429, headers });
      return;
    }
    const refusal = this.errors.refusalOf(error, response);
    const [status] = statusOf(refusal);
    const requestId = String(response.getHeader('X-Request-Id'));
    const page = <ErrorPage to={to} reader={request.reader} status={status} requestId={requestId} />;
    await sendPage(response, page, { status, headers: refusal?.headers ?? {} });
  }

  private async askToSignIn(needed: SignInNeeded, request: PageRequest, response: Response): Promise<void> {
    const { deactivated } = needed;
    const to = anybody(request);
    if (deactivated !== undefined) {
      const { deactivated: titleOf, deactivatedMore } = to.words.signIn;
      const page = <NotSignedInPage to={to} title={titleOf(deactivated)} more={deactivatedMore} />;
      await sendPage(response, page, { status: 403 });
      return;
    }
    // Nothing is kept of a form that is too long to be shown again, or of a file alone.
    const read = async () => readFilledForm(request, MAX_KEPT_BYTES, this.bodies).catch(() => undefined);
    const sent = request.method === 'POST' ? (await read())?.fields : undefined;
    const page =
      sent && sent.size > 0 ? (
        <SessionEndedPage to={to} path={request.originalUrl} sent={sent} />
      ) : (
        <SignInPage to={to} ways={this.asked.waysFor(request)} />
      );
    const status = request.path === '/' ? 200 : 401;
    await sendPage(response, page, { status, headers: this.asked.keep(request) });
  }
}

/** Of a form, for who is not signed in. */
const MAX_KEPT_BYTES = 1_000_000;

/** For a program that left `/api/v1` out. */
function keyForPage(): Refusal {
  const detail = 'Pages need a signed-in user; API keys are for paths below `/api/v1`.';
  return new Refusal('unauthenticated', detail, { 'WWW-Authenticate': 'Bearer' });
}

/** A page that says why the wanted one cannot be shown. */
function ErrorPage({ to, reader, status, requestId }: ErrorPageProps): VNode {
  const { errors } = to.words;
  const title = errors.title[status] ?? errors.title['other'] ?? '';
  const more = errors.more[status];
  const content = (
    <Empty icon={status === 403 ? 'lock' : status === 404 ? 'search' : 'warning'} title={title} isPage>
      {more ?? errors.more['other']} {more === undefined && <code>{requestId}</code>}
      <br />
      <a class="button" href="/">
        {errors.home}
      </a>
    </Empty>
  );
  return reader ? (
    <ConsolePage to={reader} title={title}>
      {content}
    </ConsolePage>
  ) : (
    <Bare to={to} title={title}>
      {content}
    </Bare>
  );
}

interface ErrorPageProps {
  readonly to: Reader;
  /** Where somebody is signed in. */
  readonly reader: SignedIn | undefined;
  readonly status: number;
  /** By which the log is found. */
  readonly requestId: string;
}
