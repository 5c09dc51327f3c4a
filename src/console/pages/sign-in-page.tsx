import { type ComponentChildren, type VNode } from 'preact';
import { type OidcRefusal, type WorkspaceLink } from '../../access/sign-ins.js';
import { type Config } from '../../config.js';
import { type User } from '../../workflows/fields/field-type.js';
import { Bare } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Form, Hidden } from '../parts/form.js';
import { Labelled, PageNoticeProvider } from '../parts/labelled.js';
import { type Notice, Notices, refusedForm } from '../parts/notices.js';
import { useAnybody } from '../reader.js';

/** Whether users can request a sign-in link: the service needs a mail server and must be allowed to send. */
export const mailsLinks = ({ smtpUrl, isOutboundOn }: Config): boolean =>
  smtpUrl !== undefined && isOutboundOn;

/** If the user entered a text that is not an e-mail address, `mail` is this text. */
export function SignInPage({ config, workspace, mail }: SignInPageProps): VNode {
  const [byProvider, byMail] = [config.oidc !== undefined, mailsLinks(config)];
  const control = { id: 'email', label: 'Your e-mail address', name: 'email' };
  const notice = refusedForm([control], [['email', ['is not an e-mail address']]]);
  return (
    <Card title="Sign in" notice={mail === undefined ? undefined : notice}>
      {byProvider && (
        <>
          {/* The link redirects to another host, from which Turbo cannot fetch a page. */}
          <a class="button primary" href="/sign-in/oidc" data-turbo="false">
            Sign in with your organisation’s account
          </a>
          <p class="muted">
            {byMail ? 'Or sign in by mail:' : 'Or open the sign-in link that you were sent.'}
          </p>
        </>
      )}
      {byMail && (
        <Form action="/sign-in/mail" data-turbo="false">
          <Labelled
            id="email"
            label="Your e-mail address"
            control={(attributes) => (
              <input
                {...attributes}
                type="email"
                name="email"
                value={mail ?? ''}
                maxLength={254}
                autocomplete="email"
                required
                autofocus={!byProvider && mail === undefined}
              />
            )}
          />
          <button type="submit" class={byProvider ? '' : 'primary'}>
            Send me a link
          </button>
        </Form>
      )}
      {!byProvider && !byMail && (
        <>
          <p>Open the sign-in link that you were sent.</p>
          <p class="muted">
            No link? The operator of this service creates one, which works once and for 15 minutes:
          </p>
          <pre>
            <code>npm run -s wts -- user link YOUR-ADDRESS --workspace {workspace ?? 'WORKSPACE'}</code>
          </pre>
        </>
      )}
    </Card>
  );
}

interface SignInPageProps {
  readonly config: Config;
  readonly workspace?: string | undefined;
  readonly mail?: string;
}

/** The page is the same whether or not a user has the address. Thus it does not reveal who is a user. */
export function MailedPage(): VNode {
  return (
    <Card title="Sign in">
      <p>If a user has this address, a mail with a link is on its way. The link works for 15 minutes.</p>
      <p class="muted">
        <a href="/sign-in">Request another mail</a>
      </p>
    </Card>
  );
}

/** Keeps the entered values while the user uses another window to sign in. */
export function SessionEndedPage({
  path,
  sent,
}: {
  readonly path: string;
  readonly sent: URLSearchParams;
}): VNode {
  return (
    <Card title="Your session has ended" isRefusal>
      <p>
        What you entered is kept on this page, except files. Open a new window to sign in, then send the form
        again.
      </p>
      <a class="button primary" href="/sign-in" target="_blank">
        Sign in
      </a>
      <Form action={path} data-turbo="false">
        {[...sent].map(([name, value]) => (
          <Hidden fields={{ [name]: value }} />
        ))}
        <button type="submit">Send the form again</button>
      </Form>
    </Card>
  );
}

/** Only the button uses up the link, because programs that scan mail follow links but press no buttons. */
export function LinkPage({ user, path }: { readonly user: User; readonly path: string }): VNode {
  return (
    <Card title="Sign in">
      <p class="muted">Sign in as</p>
      <p class="line">
        <Person user={user} />
        <span class="muted">{user.email}</span>
      </p>
      <Form action={path}>
        <button type="submit" class="primary" autofocus>
          Sign in
        </button>
      </Form>
    </Card>
  );
}

export function ChoicePage({ links }: { readonly links: readonly WorkspaceLink[] }): VNode {
  return (
    <Card title="Sign in">
      <p>You belong to several workspaces. Choose one.</p>
      {links.map(({ workspace, token }) => (
        <Form action={`/sign-in/${token}`}>
          <button type="submit">{workspace}</button>
        </Form>
      ))}
    </Card>
  );
}

/** Why the sign-in failed. `email` is the address from the provider if no user has that address. */
export const NotSignedInPage = ({
  why,
  email,
}: {
  readonly why: string;
  readonly email?: string | undefined;
}): VNode => (
  <Card title="Sign in" isRefusal>
    <p class="fault" role="alert">
      {why}
    </p>
    {email !== undefined && <p class="line">{email}</p>}
    <a class="button" href="/sign-in">
      Start again
    </a>
  </Card>
);

/** These failures are no errors of the service, so no status is 5xx. */
export const oidcRefusals: Readonly<Record<OidcRefusal, readonly [status: number, why: string]>> = {
  away: [424, 'Your organisation’s sign-in service cannot be reached.'],
  refused: [403, 'Your organisation’s sign-in service refused, or it took too long.'],
  over: [400, 'This sign-in has ended, was started in another browser, or took longer than 10 minutes.'],
  unverified: [403, 'The e-mail address of your account is not verified.'],
  unknown: [403, 'No user has this e-mail address:'],
};

export function Card({ title, notice, isRefusal = notice !== undefined, children }: CardProps): VNode {
  const reader = useAnybody();
  return (
    <Bare title={title} isRefusal={isRefusal}>
      <div class="card">
        <p class="service">{reader.service}</p>
        <h1>{title}</h1>
        {notice && <Notices notice={notice} />}
        <PageNoticeProvider value={notice}>{children}</PageNoticeProvider>
      </div>
    </Bare>
  );
}

interface CardProps {
  readonly title: string;
  readonly notice?: Notice | undefined;
  readonly isRefusal?: boolean;
  readonly children: ComponentChildren;
}
