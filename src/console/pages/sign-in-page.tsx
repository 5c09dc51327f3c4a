import { type ComponentChildren, type VNode } from 'preact';
import { Bare } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Form } from '../parts/form.js';
import { PageNoticeProvider, Labelled } from '../parts/labelled.js';
import { refusedForm, type Notice, Notices } from '../parts/notices.js';
import { useAnybody } from '../reader.js';
import { type WorkspaceLink, type OidcRefusal } from '../../access/sign-ins.js';
import { type Config } from '../../config.js';
import { type User } from '../../workflows/fields/field-type.js';

export function SignInPage({ ways: { byProvider, byMail }, workspace, mail }: SignInPageProps): VNode {
  const notice = refusedForm(
    [{ id: 'email', label: 'Your e-mail address', name: 'email' }],
    [['email', ['is not an e-mail address']]],
  );
  return (
    <Card title="Sign in" notice={mail === undefined ? undefined : notice}>
      {byProvider && (
        <>
          {/* Turbo would fetch the page, which is on another host. */}
          <a class="button primary wide" href="/sign-in/oidc" data-turbo="false">
            Sign in with your organisation’s account
          </a>
          <p class="muted">
            {byMail ? 'Or sign in by mail:' : 'Or open the sign-in link that you were sent.'}
          </p>
        </>
      )}
      {byMail && <MailForm isOnly={!byProvider} mail={mail} />}
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

interface SignInWays {
  readonly byProvider: boolean;
  readonly byMail: boolean;
}

export const waysIn = ({ oidc, smtpUrl, isOutboundOn }: Config): SignInWays => ({
  byProvider: oidc !== undefined,
  byMail: smtpUrl !== undefined && isOutboundOn,
});

interface SignInPageProps {
  readonly ways: SignInWays;
  readonly workspace?: string | undefined;
  readonly mail?: string;
}

/** The entered values stay on it until the sender has signed in in another tab. */
export function SessionEndedPage({ path, sent }: SessionEndedProps): VNode {
  return (
    <Card title="Your session has ended" isRefusal>
      <p>
        What you entered is kept on this page. Sign in in another window, then send it again. Choose files
        anew.
      </p>
      <a class="button primary wide" href="/sign-in" target="_blank">
        Sign in
      </a>
      <Form action={path} data-turbo="false">
        {[...sent].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="wide">
          Send it again
        </button>
      </Form>
    </Card>
  );
}

interface SessionEndedProps {
  readonly path: string;
  readonly sent: URLSearchParams;
}

/** Only its button uses up the link: programs that scan mail follow links, but do not press buttons. */
export function LinkPage({ user, path }: LinkPageProps): VNode {
  return (
    <Card title="Sign in">
      <p class="muted">Sign in as</p>
      <p class="line">
        <Person user={user} />
        <span class="muted">{user.email}</span>
      </p>
      <Form action={path}>
        <button type="submit" class="primary wide" autofocus>
          Sign in
        </button>
      </Form>
    </Card>
  );
}

interface LinkPageProps {
  readonly user: User;
  readonly path: string;
}

/** Why somebody is not signed in, and what to do about it. */
export function NotSignedInPage({ title, more, children }: NotSignedInProps): VNode {
  return (
    <Card title="Sign in" isRefusal>
      <p class="fault" role="alert">
        {title}
      </p>
      {more !== undefined && <p class="muted">{more}</p>}
      {children}
    </Card>
  );
}

interface NotSignedInProps {
  readonly title: string;
  readonly more?: string;
  readonly children?: ComponentChildren;
}

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

export function OidcRefusedPage({ refusal, email }: RefusedPageProps): VNode {
  return (
    <NotSignedInPage {...refusals[refusal]}>
      {refusal === 'unknown' && <p class="line">{email}</p>}
      <a class="button wide" href="/sign-in">
        Start again
      </a>
    </NotSignedInPage>
  );
}

interface RefusedPageProps {
  readonly refusal: OidcRefusal;
  /** The e-mail of the account, if no user has it. */
  readonly email?: string | undefined;
}

export function ChoicePage({ links }: { readonly links: readonly WorkspaceLink[] }): VNode {
  return (
    <Card title="Sign in">
      <p>You belong to several workspaces. Choose one.</p>
      {links.map(({ workspace, token }) => (
        <Form action={`/sign-in/${token}`}>
          <button type="submit" class="wide">
            {workspace}
          </button>
        </Form>
      ))}
    </Card>
  );
}

const refusals: Readonly<Record<OidcRefusal, { readonly title: string; readonly more: string }>> = {
  away: {
    title: 'Your organisation’s sign-in service cannot be reached.',
    more: 'Try again in a moment, or ask for a sign-in link.',
  },
  refused: {
    title: 'You were not signed in.',
    more: 'Your organisation’s sign-in service refused, or it took too long.',
  },
  over: {
    title: 'This sign-in is no longer valid.',
    more: 'It was already completed, started in another browser, or took longer than 10 minutes.',
  },
  unverified: {
    title: 'The e-mail address of your account is not verified.',
    more: 'Ask your organisation to verify it, then sign in again.',
  },
  unknown: {
    title: 'No user has this e-mail address:',
    more: 'Ask an administrator to add you, or sign in with another account.',
  },
};

function MailForm({ isOnly, mail }: MailFormProps): VNode {
  return (
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
            required
            maxLength={254}
            autocomplete="email"
            autofocus={isOnly && mail === undefined}
          />
        )}
      />
      <button type="submit" class={isOnly ? 'primary wide' : 'wide'}>
        Send me a link
      </button>
    </Form>
  );
}

interface MailFormProps {
  readonly isOnly: boolean;
  /** What was entered in place of an e-mail address. */
  readonly mail: string | undefined;
}

/** The page for entering the mailed code. It looks the same whether or not a user has the address. */
export function CodePage({ email, isRefused = false }: CodePageProps): VNode {
  const notice = refusedForm(
    [{ id: 'code', label: 'Code', name: 'code' }],
    [['code', ['is wrong, used up or too old']]],
  );
  return (
    <Card title="Sign in" notice={isRefused ? notice : undefined}>
      <p>If a user has this address, a mail with a link and a code is on its way:</p>
      <p class="line">{email}</p>
      <Form action="/sign-in/code" data-turbo="false">
        <Labelled
          id="code"
          label="Code"
          hint="Six digits, valid for 15 minutes in this browser."
          control={(attributes) => (
            <input
              {...attributes}
              name="code"
              required
              maxLength={20}
              inputMode="numeric"
              autocomplete="one-time-code"
              autofocus={!isRefused}
            />
          )}
        />
        <button type="submit" class="primary wide">
          Sign in
        </button>
      </Form>
      <p class="muted">
        <a href="/sign-in">Request another mail</a>
      </p>
    </Card>
  );
}

interface CodePageProps {
  readonly email: string;
  readonly isRefused?: boolean;
}
