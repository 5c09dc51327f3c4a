import { type VNode } from 'preact';
import { type FoundUnsubscription } from '../../notifications/mail/unsubscriptions.js';
import { Form } from '../parts/form.js';
import { type Reader } from '../reader.js';
import { Card } from './sign-in-page.js';

/** Asks whether to end the mail of some reasons. */
export function UnsubscribePage({ to, found, path }: UnsubscribePageProps): VNode {
  const { unsubscribe } = to.words.mail;
  return (
    <Card to={to} title={unsubscribe.title}>
      <p>{unsubscribe.asks(found.workspace.name)}</p>
      <Reasons to={to} found={found} />
      <Form action={path} data-turbo="false">
        <button type="submit" class="primary wide">
          {unsubscribe.button}
        </button>
      </Form>
    </Card>
  );
}

/** Says that it was done. */
export function UnsubscribedPage({ to, found }: Omit<UnsubscribePageProps, 'path'>): VNode {
  const { unsubscribe } = to.words.mail;
  return (
    <Card to={to} title={unsubscribe.done}>
      <p>{unsubscribe.doneMore(found.user.email)}</p>
      <Reasons to={to} found={found} />
      <a class="button wide" href="/account">
        {unsubscribe.account}
      </a>
    </Card>
  );
}

interface UnsubscribePageProps {
  readonly to: Reader;
  readonly found: FoundUnsubscription;
  /** Of the link. */
  readonly path: string;
}

function Reasons({ to, found }: Omit<UnsubscribePageProps, 'path'>): VNode {
  return (
    <ul>
      {found.reasons.map((reason) => (
        <li>{to.words.mail.unsubscribe.reasons[reason]}</li>
      ))}
    </ul>
  );
}
