import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type Response } from 'express';
import { Refusal } from '../common/errors.js';
import { Bodies } from '../common/http/bodies.js';
import { ErrorFilter, statusOf } from '../common/ops/error.filter.js';
import { CONFIG, type Config } from '../config.js';
import { OidcFailure, SignIns } from '../access/sign-ins.js';
import { Cookies, keepRequestedPage } from './cookies.js';
import { type PageHead, sendPage } from './page.js';
import { FORM_USER, FormOfAnother, readForm } from './form-body.js';
import { NotSignedInPage, oidcRefusals, SessionEndedPage, SignInPage } from './pages/sign-in-page.js';
import { type PageRequest, type SignedIn } from './reader.js';
import { SignInNeeded } from './session.guard.js';
import { type VNode } from 'preact';
import { Bare, ConsolePage } from './layout.js';
import { type IconName } from './parts/icon.js';
import { Empty } from './parts/notices.js';

@Catch()
export class PageFilter implements ExceptionFilter {
  constructor(
    private readonly errors: ErrorFilter,
    private readonly cookies: Cookies,
    private readonly bodies: Bodies,
    private readonly signIns: SignIns,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const request = http.getRequest<PageRequest>();
    // A request that took too long has already been answered. A response that has begun is cut off.
    const isAnswered = response.headersSent || response.closed;
    const byKey = error instanceof SignInNeeded && request.headers.authorization !== undefined;
    if (isAnswered || byKey) this.errors.catch(isAnswered ? error : keyForPage(), host);
    else {
      const [page, head] = await this.pageOf(error, request, response);
      sendPage(response, page, head);
    }
  }

  private async pageOf(error: unknown, request: PageRequest, response: Response): Promise<[VNode, PageHead]> {
    if (error instanceof SignInNeeded) return this.signInPage(request);
    if (error instanceof OidcFailure) {
      const [status, why] = oidcRefusals[error.refusal];
      return [<NotSignedInPage why={why} email={error.email} />, { status }];
    }
    const refusal = this.errors.refusalOf(error, response);
    const [status] = statusOf(refusal);
    const requestId = String(response.getHeader('X-Request-Id'));
    const text = error instanceof FormOfAnother ? formOfAnother : texts[status];
    const shown = { reader: request.reader, text, said: refusal?.message, requestId };
    const page = <ErrorPage {...shown} />;
    return [page, { status, headers: refusal?.headers ?? {} }];
  }

  private async signInPage(request: PageRequest): Promise<[VNode, PageHead]> {
    keepRequestedPage(this.cookies, request);
    const head = { status: request.path === '/' ? 200 : 401 };
    if (request.method === 'POST') {
      // A form that is too long or malformed, or that contains only files, is not kept.
      const form = await readForm(request, MAX_KEPT_BYTES, this.bodies).catch(() => undefined);
      if (form && [...form.fields.keys()].some((name) => name !== FORM_USER))
        return [<SessionEndedPage path={request.originalUrl} sent={form.fields} />, head];
    }
    const workspace = await this.signIns.onlyWorkspace();
    return [<SignInPage config={this.config} workspace={workspace} />, head];
  }
}

/** The longest form, in bytes, that is kept until the user has signed in. */
const MAX_KEPT_BYTES = 1_000_000;

/** The refusal if a program sent an API key to a page. Perhaps the program left out `/api/v1` in the URL. */
function keyForPage(): Refusal {
  const detail = 'Pages need a signed-in user; API keys are for paths below `/api/v1`.';
  return new Refusal('unauthenticated', detail, { 'WWW-Authenticate': 'Bearer' });
}

/** A page that explains why the request was refused or has failed. */
function ErrorPage({ reader, text, said, requestId }: ErrorPageProps): VNode {
  const [icon, title, advice = said] = text ?? ['warning', 'Something went wrong'];
  const content = (
    <Empty icon={icon} title={title} isPage>
      {advice ?? report} {advice === undefined && <code>{requestId}</code>}
      <br />
      <a class="button" href="/">
        Go to my tasks
      </a>
    </Empty>
  );
  return reader ? <ConsolePage title={title}>{content}</ConsolePage> : <Bare title={title}>{content}</Bare>;
}

interface ErrorPageProps {
  readonly reader: SignedIn | undefined;
  readonly text: ErrorText | undefined;
  /** The text of the refusal, shown if `text` has no advice. */
  readonly said: string | undefined;
  readonly requestId: string;
}

type ErrorText = readonly [icon: IconName, title: string, advice?: string];

const formOfAnother: ErrorText = ['lock', 'Another user opened this form'];

const texts: Readonly<Record<number, ErrorText>> = {
  403: [
    'lock',
    'You do not have permission',
    'Your role does not allow this. Ask an administrator of the workflow.',
  ],
  404: ['search', 'Page not found', 'It may have been deleted, or you have no access to it.'],
  429: ['warning', 'Too many requests'],
  503: ['warning', 'The service is busy', 'Try again in a moment.'],
};

const report = 'Go back and try again. If it fails again, give the operator of the service this code:';
