import { type ComponentChildren, type VNode } from 'preact';
import { Bare } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Form } from '../parts/form.js';
import { type Reader } from '../reader.js';
import { type User } from '../../schema/field-type.js';

/** For nobody in particular: how to get in. */
export function SignInPage({ to }: { readonly to: Reader }): VNode {
  const { signIn } = to.words;
  return (
    <Card to={to}>
      <p>{signIn.lead}</p>
      <p class="muted">{signIn.help}</p>
      <pre>
        <code>npm run -s wts -- user link mina@acme.test --workspace acme</code>
      </pre>
    </Card>
  );
}

/**
 * Behind a link. Only the button uses it up: programs that look at what is in mails follow links, and press nothing.
 */
export function LinkPage({ to, user, path }: LinkPageProps): VNode {
  const { signIn } = to.words;
  return (
    <Card to={to}>
      <p class="muted">{signIn.one}</p>
      <p class="who">
        <Person user={user} />
        <span class="muted">{user.email}</span>
      </p>
      <Form action={path}>
        <button type="submit" class="primary wide" autofocus>
          {signIn.button}
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

/** Where a link does not, or no longer, sign in; `title` says why. */
export function DeadLinkPage({ to, title }: { readonly to: Reader; readonly title: string }): VNode {
  return (
    <Card to={to}>
      <p class="fault" role="alert">
        {title}
      </p>
      <p class="muted">{to.words.signIn.again}</p>
    </Card>
  );
}

function Card({ to, children }: { readonly to: Reader; readonly children: ComponentChildren }): VNode {
  const { signIn, service } = to.words;
  return (
    <Bare to={to} title={signIn.title}>
      <div class="card">
        <p class="service">{service}</p>
        <h1>{signIn.title}</h1>
        {children}
      </div>
    </Bare>
  );
}
