import { type ComponentChildren, type VNode } from 'preact';
import { Bare } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Form } from '../parts/form.js';
import { formNotice, type Notice, Notices } from '../parts/notices.js';
import { type Reader } from '../reader.js';
import { MailForm } from './mail-form.js';
import { type OidcRefusal } from '../../auth/oidc-failure.js';
import { type WorkspaceLink } from '../../auth/sign-ins.js';
import { type Config } from '../../config.js';
import { type User } from '../../schema/field-type.js';

/** For nobody in particular: how to get in. */
export function SignInPage({ to, ways: { byProvider, byMail }, mail }: SignInPageProps): VNode {
  const { signIn, oidc } = to.words;
  const messages = mail === undefined ? [] : ['is not an e-mail address'];
  const notice = formNotice([{ text: to.words.faulty }], [{ id: 'email', label: signIn.email, messages }]);
  return (
    <Card to={to} title={to.words.signIn.title} notice={mail === undefined ? undefined : notice}>
      {byProvider && (
        <>
          {/* Turbo would fetch what stands on another host. */}
          <a class="button primary wide" href="/sign-in/oidc" data-turbo="false">
            {oidc.button}
          </a>
          <p class="muted">{byMail ? signIn.orByMail : oidc.or}</p>
        </>
      )}
      {byMail && <MailForm to={to} isOnly={!byProvider} mail={mail} messages={messages} />}
      {!byProvider && !byMail && (
        <>
          <p>{signIn.lead}</p>
          <p class="muted">{signIn.help}</p>
          <pre>
            <code>npm run -s wts -- user link mina@acme.test --workspace acme</code>
          </pre>
        </>
      )}
    </Card>
  );
}

/** How somebody without a link can sign in. */
interface SignInWays {
  /** By the identity provider. */
  readonly byProvider: boolean;
  readonly byMail: boolean;
}

export const waysIn = ({ oidc, smtpUrl, isOutboundOn }: Config): SignInWays => ({
  byProvider: oidc !== undefined,
  byMail: smtpUrl !== undefined && isOutboundOn,
});

interface SignInPageProps {
  readonly to: Reader;
  readonly ways: SignInWays;
  /** What was entered as an address and is none. */
  readonly mail?: string;
}

/** For who sent a form when their session had ended: what they entered stays here until they have signed in elsewhere. */
export function SessionEndedPage({ to, path, sent }: SessionEndedProps): VNode {
  const { signIn } = to.words;
  return (
    <Card to={to} title={signIn.ended} isRefusal>
      <p>{signIn.kept}</p>
      <a class="button primary wide" href="/sign-in" target="_blank">
        {signIn.title}
      </a>
      <Form action={path} data-turbo="false">
        {[...sent].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="wide">
          {signIn.sendAgain}
        </button>
      </Form>
    </Card>
  );
}

interface SessionEndedProps {
  readonly to: Reader;
  /** Where the form was sent. */
  readonly path: string;
  readonly sent: URLSearchParams;
}

/**
 * Behind a link. Only the button uses it up: programs that look at what is in mails follow links, and press nothing.
 */
export function LinkPage({ to, user, path }: LinkPageProps): VNode {
  const { signIn } = to.words;
  return (
    <Card to={to} title={to.words.signIn.title}>
      <p class="muted">{signIn.one}</p>
      <p class="line">
        <Person user={user} />
        <span class="muted">{user.email}</span>
      </p>
      <Form action={path}>
        <button type="submit" class="primary wide" autofocus>
          {signIn.title}
        </button>
      </Form>
    </Card>
  );
}

interface LinkPageProps {
  readonly to: Reader;
  readonly user: User;
  /** Of the link. */
  readonly path: string;
}

/** Why somebody is not signed in, and what to do about it. */
export function NotSignedInPage({ to, title, more, children }: NotSignedInProps): VNode {
  return (
    <Card to={to} title={to.words.signIn.title} isRefusal>
      <p class="fault" role="alert">
        {title}
      </p>
      {more !== undefined && <p class="muted">{more}</p>}
      {children}
    </Card>
  );
}

interface NotSignedInProps {
  readonly to: Reader;
  readonly title: string;
  readonly more?: string;
  readonly children?: ComponentChildren;
}

/** What all pages of this kind stand on. */
export function Card({ to, title, notice, isRefusal = notice !== undefined, children }: CardProps): VNode {
  return (
    <Bare to={to} title={title} isRefusal={isRefusal}>
      <div class="card">
        <p class="service">{to.service}</p>
        <h1>{title}</h1>
        {notice && <Notices notice={notice} />}
        {children}
      </div>
    </Bare>
  );
}

interface CardProps {
  readonly to: Reader;
  readonly title: string;
  /** That a form of it was refused. */
  readonly notice?: Notice | undefined;
  readonly isRefusal?: boolean;
  readonly children: ComponentChildren;
}

/** Says why, and leads back. */
export function OidcRefusedPage({ to, refusal, email }: RefusedPageProps): VNode {
  const { oidc } = to.words;
  return (
    <NotSignedInPage to={to} {...oidc.refusals[refusal]}>
      {refusal === 'unknown' && <p class="line">{email}</p>}
      <a class="button wide" href="/sign-in">
        {oidc.again}
      </a>
    </NotSignedInPage>
  );
}

interface RefusedPageProps {
  readonly to: Reader;
  readonly refusal: OidcRefusal;
  /** Of the account, where nobody here has it. */
  readonly email?: string | undefined;
}

/** For who is a user of several workspaces. */
export function ChoicePage({ to, links }: ChoicePageProps): VNode {
  return (
    <Card to={to} title={to.words.signIn.title}>
      <p>{to.words.oidc.several}</p>
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

interface ChoicePageProps {
  readonly to: Reader;
  readonly links: readonly WorkspaceLink[];
}
