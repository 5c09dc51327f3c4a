import { type NotificationReason } from '../../common/column-values.js';
import { type VNode } from 'preact';
import { type FoundUnsubscription } from '../../messages/inbox/mail/unsubscriptions.js';
import { Form } from '../parts/form.js';
import { Card } from './sign-in-page.js';

/** Asks whether to end the mail of some reasons. */
export function UnsubscribePage({ found, path }: UnsubscribePageProps): VNode {
  return (
    <Card title="Unsubscribe from these mails">
      <p>{found.workspace.name} sends you a mail when:</p>
      <Reasons found={found} />
      <Form action={path} data-turbo="false">
        <button type="submit" class="primary wide">
          Unsubscribe
        </button>
      </Form>
    </Card>
  );
}

/** Says that it was done. */
export function UnsubscribedPage({ found }: Omit<UnsubscribePageProps, 'path'>): VNode {
  return (
    <Card title="You are unsubscribed">
      <p>No more mail goes to {found.user.email} when the following happens; your inbox still shows it:</p>
      <Reasons found={found} />
      <a class="button wide" href="/account">
        Change your notifications
      </a>
    </Card>
  );
}

interface UnsubscribePageProps {
  readonly found: FoundUnsubscription;
  /** Of the link. */
  readonly path: string;
}

function Reasons({ found }: Omit<UnsubscribePageProps, 'path'>): VNode {
  return (
    <ul>
      {found.reasons.map((reason) => (
        <li>{reasonNames[reason]}</li>
      ))}
    </ul>
  );
}

const reasonNames = {
  mentioned: 'somebody mentions you',
  assigned: 'something is assigned to you',
  approval: 'your approval is asked for',
  due: 'a task of yours is due',
  failed: 'an action fails',
  watching: 'a task changes that you watch',
} satisfies Record<NotificationReason, string>;
